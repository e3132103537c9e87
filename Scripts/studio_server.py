"""Starts a studio for a script, on a free port and with an empty data folder. Uses only Python's standard library."""
import http.client, os, signal, socket, subprocess, tempfile


class StudioServer:
    """The process of a studio that listens on a port."""

    def __init__(self, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.data = tempfile.TemporaryDirectory()
        command = [os.path.abspath(program), "studio", "--port", str(self.port), "--data", self.data.name]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def ask(self, method, path, body=None, headers={}, timeout=120):
        """Sends a request on a separate connection. Returns the status and the body of the response."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()

    def end(self, timeout=60):
        """Ends the studio as Control-C does. Returns whether it was still running, and its exit status."""
        alive = self.process.poll() is None
        self.process.send_signal(signal.SIGINT)
        return alive, self.process.wait(timeout)
