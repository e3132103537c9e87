import Foundation
import Platform
import Testing

@testable import Service

@Suite("The server's limits", .timeLimit(.minutes(20)))
struct HTTPServerTests {
  private func server(
    _ change: (inout HTTPServer.Options) -> Void = { _ in },
    handler: @escaping HTTPServer.Handler = { request in
      HTTPResponse(type: "text/plain", Data("\(request.head.method) \(request.body.count)".utf8))
    }
  ) throws -> HTTPServer {
    var options = HTTPServer.Options()
    change(&options)
    let server = HTTPServer(options, limit: { $0.method == "POST" ? 1000 : 0 }, handler: handler)
    try server.start()
    return server
  }

  @Test("A request with a body is answered")
  func answers() async throws {
    let server = try server()
    defer { server.stop() }
    let plain = try await RawClient.ask(server.port, "GET", "/")
    #expect(plain.status == 200)
    #expect(plain.body == Data("GET 0".utf8))
    let sent = try await RawClient.ask(server.port, "POST", "/", body: Data(count: 1000))
    #expect(sent.body == Data("POST 1000".utf8))
    #expect(sent.head.contains("Content-Security-Policy: default-src 'none'"))
    #expect(sent.head.contains("nosniff"))
  }

  @Test("A body that is too long is refused before it is sent")
  func tooLong() async throws {
    let server = try server()
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 1001\r\n\r\n")
    let answer = await client.answer()
    #expect(answer.status == 413)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("at most 1000"))
  }

  @Test("Bodies with a missing or invalid length are refused")
  func lengths() async throws {
    let server = try server()
    defer { server.stop() }
    let chunked = try await RawClient.ask(
      server.port, "POST", "/", headers: ["Transfer-Encoding": "chunked"])
    #expect(chunked.status == 411)
    let odd = try await RawClient.ask(server.port, "POST", "/", headers: ["Content-Length": "-5"])
    #expect(odd.status == 400 || odd.status == 0)
  }

  @Test("Refused requests never reach the handler")
  func refusals() async throws {
    let calls = Locked(0)
    let server = try server(handler: { _ in
      calls.withLock { $0 += 1 }
      return HTTPResponse(200)
    })
    defer { server.stop() }
    let foreign = try await RawClient.ask(
      server.port, "POST", "/", headers: ["Origin": "http://evil.example"], body: Data(count: 10))
    #expect(foreign.status == 403)
    let rebound = try await RawClient.ask(
      server.port, "GET", "/", headers: ["Host": "evil.example"])
    #expect(rebound.status == 421)
    #expect(calls.withLock { $0 } == 0)
    #expect(server.counts.refused == 2)
  }

  @Test("Without its token a server refuses everything; the printed address grants access")
  func token() async throws {
    let server = try server({ $0.token = "t0ken" })
    defer { server.stop() }
    #expect(try await RawClient.ask(server.port, "GET", "/").status == 401)
    let shown = try await RawClient.ask(
      server.port, "GET", "/", headers: ["Authorization": "Bearer t0ken"])
    #expect(shown.status == 200)
    let first = try await RawClient.ask(server.port, "GET", "/?token=t0ken")
    #expect(first.status == 303)
    #expect(first.head.contains("HttpOnly; SameSite=Strict"))
    #expect(try await RawClient.ask(server.port, "GET", "/?token=t0keN").status == 401)
  }

  @Test("Connections with unfinished heads are closed, and complete requests are served meanwhile")
  func slowHeads() async throws {
    let server = try server({ $0.headSeconds = 1 })
    defer { server.stop() }
    let slow = try (0..<20).map { _ in try RawClient(port: server.port) }
    defer { for client in slow { client.close() } }
    for client in slow { client.send("GET / HTTP/1.1\r\nHost: 127") }
    #expect(try await RawClient.ask(server.port, "GET", "/").status == 200)
    for client in slow { #expect(await client.answer().status == 0) }
  }

  @Test("A connection with a stalled body is closed")
  func slowBody() async throws {
    let server = try server({ $0.bodySeconds = 1 })
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 900\r\n\r\nabc")
    #expect(await client.answer().status == 0)
    // The server updates its counters shortly after it closes the connection.
    for _ in 0..<100 where server.counts.bodyBytes != 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(server.counts.bodyBytes == 0)
  }

  @Test("A client that disconnects cancels its request")
  func leaving() async throws {
    let wasCancelled = Locked(false)
    let server = try server(handler: { _ in
      try? await Task.sleep(for: .seconds(20))
      wasCancelled.withLock { $0 = Task.isCancelled }
      return HTTPResponse(200)
    })
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    client.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
    try await Task.sleep(for: .milliseconds(300))
    client.close()
    for _ in 0..<100 where !wasCancelled.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(wasCancelled.withLock { $0 })
  }

  @Test("Messages travel in both directions, and a message that is too long closes the socket")
  func socket() async throws {
    let server = try server(
      { $0.messageBytes = 1000 },
      handler: { _ in
        var response = HTTPResponse(426)
        response.socket = { socket in
          while let message = socket.receive() {
            if case .text(let text) = message { socket.send(text.uppercased()) }
          }
        }
        return response
      })
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send(
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    #expect(await client.answer().status == 101)
    // The frame contains the text “hi”, masked with the key 1 2 3 4.
    client.send(Data([0x81, 0x82, 1, 2, 3, 4, 0x68 ^ 1, 0x69 ^ 2]))
    #expect(await client.read(4) == Data([0x81, 2, 0x48, 0x49]))
    // The header of the frame declares 2⁶² bytes.
    client.send(Data([0x82, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
    #expect(await client.read(4) == Data([0x88, 2, 0x03, 0xF1]))
  }

  @Test("A handler's socket is refused if the client requests no upgrade")
  func noUpgrade() async throws {
    let server = try server(handler: { _ in
      var response = HTTPResponse(426)
      response.socket = { _ in }
      return response
    })
    defer { server.stop() }
    #expect(try await RawClient.ask(server.port, "GET", "/").status == 426)
  }

  @Test("Memory that a handler retains stays reserved until the handler releases it")
  func reservation() async throws {
    let requests = Locked<[HTTPRequest]>([])
    let server = try server(
      { $0.bodyBytes = 1500 },
      handler: { request in
        requests.withLock { $0.append(request) }
        return HTTPResponse(202)
      })
    defer { server.stop() }
    let body = Data(count: 1000)
    #expect(try await RawClient.ask(server.port, "POST", "/", body: body).status == 202)
    #expect(server.counts.bodyBytes == 1000)
    #expect(try await RawClient.ask(server.port, "POST", "/", body: body).status == 503)
    requests.withLock { $0.removeAll() }
    #expect(server.counts.bodyBytes == 0)
    #expect(try await RawClient.ask(server.port, "POST", "/", body: body).status == 202)
  }

  @Test("Large answers are counted while they wait to be sent, and a file's bytes are not")
  func largeAnswers() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 / 5) })
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try server(
      { $0.bodyBytes = 200_000 },
      handler: { request in
        guard let count = request.head.query["count"].flatMap({ Int($0) }) else {
          return (try? HTTPResponse(type: "text/plain", file: file)) ?? HTTPResponse(500)
        }
        return HTTPResponse(type: "text/plain", Data(count: count))
      })
    defer { server.stop() }
    #expect(try await RawClient.ask(server.port, "GET", "/?count=100000").body.count == 100_000)
    #expect(try await RawClient.ask(server.port, "GET", "/?count=300000").status == 503)
    let response = try await RawClient.ask(server.port, "GET", "/")
    #expect(response.head.contains("Content-Length: 3000000"))
    #expect(response.body == bytes)
    for _ in 0..<100 where server.counts.bodyBytes != 0 {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(server.counts.bodyBytes == 0)
  }

  @Test("A query of many fields is answered, and a target that is too long is refused immediately")
  func longQueries() async throws {
    let server = try server()
    defer { server.stop() }
    for (count, status) in [(600, 200), (2700, 200), (4000, 414), (40_000, 414), (400_000, 414)] {
      let query = (0..<count).map { _ in "a=" }.joined(separator: "&").prefix(count * 3 - 1)
      let answer = try await RawClient.ask(server.port, "GET", "/?\(query)")
      #expect(answer.status == status, "\(count) fields")
    }
    let long = try await RawClient.ask(
      server.port, "GET", "/", headers: ["X-Long": String(repeating: "x", count: 40_000)])
    #expect(long.status == 431)
  }

  private func socket(to server: HTTPServer) async throws -> RawClient {
    let client = try RawClient(port: server.port)
    client.send(
      "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nUpgrade: websocket\r\n"
        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    #expect(await client.answer().status == 101)
    return client
  }

  /// Answers a binary message with its length and the sum of its bytes.
  private static let summing: HTTPServer.Handler = { _ in
    var response = HTTPResponse(426)
    response.socket = { socket in
      while let message = socket.receive() {
        guard case .binary(let data) = message else { continue }
        socket.send("\(data.count) \(data.reduce(0) { $0 + Int($1) })")
      }
    }
    return response
  }

  @Test("A server that drains waits for requests, but not for WebSockets")
  func drain() async throws {
    let server = try server(handler: Self.summing)
    defer { server.stop() }
    let client = try await socket(to: server)
    defer { client.close() }
    // With a request that it waits for, the server would not be done after a second and a half.
    let isDone = await RawClient.onThread { server.drain(settling: 0, within: 1.5) }
    #expect(isDone)
  }

  @Test("The time for a message of many small frames is linear in its length")
  func smallFrames() async throws {
    let server = try server(handler: Self.summing)
    defer { server.stop() }
    func seconds(frames count: Int) async throws -> Double {
      let client = try await socket(to: server)
      defer { client.close() }
      var frames = Data(capacity: count * 7)
      for number in 0..<count {
        frames.append(contentsOf: [
          (number == 0 ? 2 : 0) | (number == count - 1 ? 0x80 : 0), 0x81, 5, 6, 7, 8, 1 ^ 5,
        ])
      }
      let start = ContinuousClock.now
      let sent = frames
      async let sending: Void = RawClient.onThread { client.send(sent) }
      #expect(await client.read(15) == Data([0x81, 13]) + Data("\(count) \(count)".utf8))
      _ = await sending
      return (ContinuousClock.now - start) / .seconds(1)
    }
    // Eight times the frames take 8 times as long, but 64 times as long if the time is quadratic. A busy machine can
    // change the ratio of one pair of runs, so that several pairs are tried.
    var ratios: [Double] = []
    for _ in 0..<8 where (ratios.min() ?? .infinity) > 24 {
      let few: Double = try await seconds(frames: 100_000)
      ratios.append(try await seconds(frames: 800_000) / few)
    }
    #expect((ratios.min() ?? .infinity) <= 24, "\(ratios)")
  }

  @Test("A large frame is unmasked piece by piece, and reserves memory only for the received part")
  func largeFrame() async throws {
    let server = try server({ $0.bodyBytes = 600_000 }, handler: Self.summing)
    defer { server.stop() }
    func head(_ count: Int) -> Data {
      Data([0x82, 0xFF] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
        + Data([1, 2, 3, 4])
    }
    let client = try await socket(to: server)
    defer { client.close() }
    let count = 200_001
    var bytes = Data((0..<count).map { UInt8($0 % 251) })
    let sum: Int = bytes.reduce(0) { $0 + Int($1) }
    for index in bytes.indices { bytes[index] ^= UInt8(index & 3) + 1 }
    client.send(head(count) + bytes)
    let words = Data("\(count) \(sum)".utf8)
    #expect(await client.read(2 + words.count) == Data([0x81, UInt8(words.count)]) + words)
    // If a message exceeds the memory limit, the server closes the socket with a close code.
    client.send(head(1_000_000) + Data(count: 1_000_000))
    #expect(await client.read(4) == Data([0x88, 2, 0x03, 0xF5]))
    for _ in 0..<200 where server.counts.bodyBytes != 0 {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(server.counts.bodyBytes == 0)
  }

  @Test("Through a proxy on the network, the studio's own pages may send requests and open sockets")
  func proxy() async throws {
    let server = try server({
      $0.token = "t0ken"
      $0.publicAddress = PublicAddress("https://paint.example/")
    })
    defer { server.stop() }
    func status(_ headers: [String: String], _ path: String = "/") async throws -> Int {
      try await RawClient.ask(server.port, "GET", path, headers: headers).status
    }
    let cookie = ["Cookie": "atelier_token=t0ken", "Sec-Fetch-Site": "same-origin"]
    for host in ["paint.example", "127.0.0.1:\(server.port)"] {
      let outer = ["Host": host, "Origin": "https://paint.example"]
      #expect(try await status(outer.merging(cookie) { $1 }) == 200)
      #expect(try await status(outer) == 401)
      let foreign = ["Host": host, "Origin": "https://evil.example"]
      #expect(try await status(foreign.merging(cookie) { $1 }) == 403)
    }
    let first = try await RawClient.ask(
      server.port, "GET", "/?token=t0ken", headers: ["Host": "paint.example"])
    #expect(first.status == 303)
    #expect(first.head.contains("SameSite=Strict; Max-Age=2592000; Secure"))
    #expect(try await status(["Host": "paint.example"], "/v1/styles?token=t0ken") == 401)
  }
}
