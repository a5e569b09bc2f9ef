import resource
import kit

soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
kit.report(soft=soft, hard=hard, endless=kit.tried(resource.setrlimit, resource.RLIMIT_STACK, endless))
