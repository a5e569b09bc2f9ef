import kit

kit.report(
    shmget=kit.call("shmget", 0x5EC2E7, 4096, 0o1666),
    semget=kit.call("semget", 0x5EC2E7, 1, 0o1666),
    msgget=kit.call("msgget", 0x5EC2E7, 0o1666),
    mq_open=kit.call("mq_open", b"cove", 0o102, 0o666, None),
)
