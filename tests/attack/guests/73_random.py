import os, random, secrets, tempfile, uuid
import kit

kit.report(urandom=os.urandom(16).hex(), random=random.random(), secrets=secrets.token_hex(16), uuid=str(uuid.uuid4()),
           temporary=tempfile.mkdtemp())
