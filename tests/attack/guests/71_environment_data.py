import os
import kit

kit.report(**{name: value for name, value in os.environ.items() if name.startswith("DATA_")})
