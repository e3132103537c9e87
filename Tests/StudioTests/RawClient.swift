import Foundation
import Glibc

/// A client that sends raw bytes. With it, a test can violate the protocol.
struct RawClient: Sendable {
  private let socket: Int32

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var patience = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  func send(_ data: Data) {
    data.withUnsafeBytes {
      _ = Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  func send(_ text: String) { send(Data(text.utf8)) }

  /// Reads an answer until it has its stated length. If the server closes the connection before, returns the bytes that
  /// arrived, with the status 0.
  func answer() async -> (status: Int, head: String, body: Data) {
    await Self.onThread { waitForAnswer() }
  }

  /// Runs blocking work on a separate thread, because the server's tasks need the tests' own threads.
  static func onThread<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: work()) }
      thread.start()
    }
  }

  private func waitForAnswer() -> (status: Int, head: String, body: Data) {
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      if let end = bytes.range(of: Data("\r\n\r\n".utf8)) {
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let length =
          head.split(whereSeparator: \.isNewline)
          .first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        if bytes.count - end.upperBound >= length {
          let status = Int(head.dropFirst(9).prefix(3)) ?? 0
          return (status, head, bytes[end.upperBound...])
        }
      }
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { return (0, "", bytes) }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  /// Reads the given number of bytes, or fewer if the connection ends.
  func read(_ count: Int) async -> Data { await Self.onThread { wait(for: count) } }

  private func wait(for count: Int) -> Data {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(socket, &bytes, count, Int32(MSG_WAITALL))
    return Data(bytes.prefix(max(0, got)))
  }

  func close() { Glibc.close(socket) }

  /// Sends one request and reads the answer.
  static func ask(
    _ port: UInt16, _ method: String, _ path: String, headers: [String: String] = [:],
    body: Data = Data()
  ) async throws -> (status: Int, head: String, body: Data) {
    let client = try asking(port, method, path, headers: headers, body: body)
    defer { client.close() }
    return await client.answer()
  }

  /// Connects and sends one request. The caller reads the answer and closes the client.
  static func asking(
    _ port: UInt16, _ method: String, _ path: String, headers: [String: String] = [:],
    body: Data = Data()
  ) throws -> RawClient {
    let client = try RawClient(port: port)
    var lines = ["\(method) \(path) HTTP/1.1"]
    var all = headers
    all["Host"] = all["Host"] ?? "127.0.0.1:\(port)"
    if !body.isEmpty { all["Content-Length"] = all["Content-Length"] ?? "\(body.count)" }
    lines += all.map { "\($0.key): \($0.value)" }
    client.send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    return client
  }
}
