import Encryption
import Foundation
import ModelFormat
import Testing

@testable import CoreML

/// Tests downloading deployments over HTTPS from a local test server.
@Suite(.serialized, .enabled(if: ServerPrograms.areAvailable))
struct CollectionDownloadTests {
  /// An HTTPS file server with support for byte ranges. The server's first response for an `.mlmodel` stops halfway.
  private static let server = """
    import http.server, os, ssl, sys
    folder, log = sys.argv[1], open(sys.argv[2], "w")
    broken = []
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = os.path.join(folder, self.path.lstrip("/"))
            if not os.path.exists(path):
                return self.send_error(404)
            data = open(path, "rb").read()
            start = int(self.headers.get("Range", "bytes=0-")[6:].split("-")[0])
            print(self.path, start, file=log, flush=True)
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            breaks = path.endswith(".mlmodel") and not broken
            broken.append(breaks) if breaks else None
            self.wfile.write(data[start:len(data) // 2] if breaks else data[start:])
        def log_message(self, *words):
            pass
    service = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    service.socket = context.wrap_socket(service.socket, server_side=True)
    print(service.server_port, flush=True)
    service.serve_forever()
    """

  private func run(_ program: String, _ arguments: [String], output: Any? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    try process.run()
    return process
  }

  @Test("An interrupted download continues where it stopped and matches the manifest")
  func resuming() async throws {
    let folder: URL = FileManager.default.temporaryDirectory
      .appendingPathComponent("CollectionDownloadTests-\(UUID().uuidString)", isDirectory: true)
    let source: URL = folder.appendingPathComponent("source")
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (key, certificate) = (folder.path + "/key.pem", folder.path + "/certificate.pem")
    try run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out",
        certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
      ]
    ).waitUntilExit()
    let file: URL = source.appendingPathComponent("Double.mlmodel")
    try SampleModels.doubling().write(to: file)
    let manifest = """
      { "identifier": "remote", "deployment": "1", "models": { "double": { "path": "Double.mlmodel",
        "files": [ { "path": "Double.mlmodel", "size": \(try Data(contentsOf: file).count),
        "sha256": "\(SHA256.hexDigest(ofFile: file) ?? "")" } ] } } }
      """
    try Data(manifest.utf8).write(to: source.appendingPathComponent("manifest.json"))

    let log: String = folder.path + "/log"
    let output = Pipe()
    let server = try run(
      "python3", ["-c", Self.server, source.path, log, certificate, key], output: output)
    // This thread blocks signals, and the child inherits the thread's signal mask. So only SIGKILL ends the child.
    defer { kill(server.processIdentifier, SIGKILL) }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    setenv("CURL_CA_BUNDLE", certificate, 1)
    defer { unsetenv("CURL_CA_BUNDLE") }
    let address = try #require(URL(string: "https://127.0.0.1:\(port)"))

    let store = try CollectionStore("remote", root: folder.appendingPathComponent("store"))
    let remote = CollectionSource(url: address, identifier: "remote")
    let found = try #require(try remote.manifest())
    let error: MLModelError? = #expect(throws: MLModelError.self) {
      try store.install(found, from: remote) { _ in }
    }
    #expect(error?.localizedDescription.contains("Try again: the download will continue.") == true)
    #expect(store.current() == nil)
    try store.install(found, from: remote) { _ in }
    let use = try #require(store.current())
    #expect(
      SHA256.hexDigest(ofFile: use.folder.appendingPathComponent("Double.mlmodel"))
        == SHA256.hexDigest(ofFile: file))
    let asked: [Int] = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("/Double") }.compactMap {
        $0.split(separator: " ").last.flatMap { Int($0) }
      }
    #expect(asked.count == 2 && asked.first == 0 && (asked.last ?? 0) > 0)
  }
}

/// The programs that an HTTPS server needs.
private enum ServerPrograms {
  static let areAvailable: Bool = ["openssl", "python3", "curl"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }
}
