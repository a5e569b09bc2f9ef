import site
import sys

print(site.getsitepackages(), site.ENABLE_USER_SITE, site.getusersitepackages())
print("sitecustomize" in sys.modules, "usercustomize" in sys.modules)
print(exit, quit, copyright.__class__, credits.__class__)
