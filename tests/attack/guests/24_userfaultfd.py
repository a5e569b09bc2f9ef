import kit

kit.report(userfaultfd=kit.call("userfaultfd", 0), user_mode_only=kit.call("userfaultfd", 1))
