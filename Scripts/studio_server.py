"""A studio that a script starts for itself, on a free port and with an empty data folder. Python's standard library alone."""
import http.client, os, signal, socket, subprocess, tempfile


class StudioServer:
    """A studio's process; it has said that it listens."""

    def __init__(self, program):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.data = tempfile.TemporaryDirectory()
        command = [os.path.abspath(program), "studio", "--port", str(self.port), "--data", self.data.name]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def ask(self, method, path, body=None, headers={}, timeout=120):
        """A request of its own connection: the answer's status and bytes."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, answer.read()
        finally:
            link.close()

    def end(self, timeout=60):
        """Ends it as Control-C does: whether it was still alive, and its exit status."""
        alive = self.process.poll() is None
        self.process.send_signal(signal.SIGINT)
        return alive, self.process.wait(timeout)
