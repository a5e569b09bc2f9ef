#!/usr/bin/python3
"""What people write first: an HTTP server that starts `python3 -c` for each request.

No isolation, no limits but a timeout, no queue. The alternative of `make bench-serve`.

    scripts/bare-server.py [PORT]      prints "listening on http://127.0.0.1:PORT"
"""
import http.server
import json
import subprocess
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        done = subprocess.run(["/usr/bin/python3", "-c", request["code"]], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=30, check=False)
        body = json.dumps({"exit_code": done.returncode, "stdout": done.stdout,
                           "stderr": done.stderr}, separators=(",", ":")).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024


def main():
    with Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler) as server:
        print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
        server.serve_forever()


main()
