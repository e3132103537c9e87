import Foundation
import Platform
import Testing

@testable import Service

@Suite("The server keeps its limits", .timeLimit(.minutes(2)))
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

  @Test("A request is answered, with its body")
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

  @Test("Bodies without a length, and with a length that is none, are refused")
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

  @Test("Without its token a server tells nothing; the printed address lets in")
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

  @Test("Heads that do not end are ended, and others are served meanwhile")
  func slowHeads() async throws {
    let server = try server({ $0.headSeconds = 1 })
    defer { server.stop() }
    let slow = try (0..<20).map { _ in try RawClient(port: server.port) }
    defer { for client in slow { client.close() } }
    for client in slow { client.send("GET / HTTP/1.1\r\nHost: 127") }
    #expect(try await RawClient.ask(server.port, "GET", "/").status == 200)
    let start = ContinuousClock.now
    for client in slow { #expect(await client.answer().status == 0) }
    // Twenty of the server's own patience would be minutes; a busy machine takes its time.
    #expect(ContinuousClock.now - start < .seconds(40))
  }

  @Test("A body that stands still is ended")
  func slowBody() async throws {
    let server = try server({ $0.bodySeconds = 1 })
    defer { server.stop() }
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send(
      "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 900\r\n\r\nabc")
    #expect(await client.answer().status == 0)
    // The connection ends a moment before the server has counted it out.
    for _ in 0..<100 where server.counts.bodyBytes != 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(server.counts.bodyBytes == 0)
  }

  @Test("A client that goes away cancels its request")
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

  @Test("Messages travel both ways, and one that is too long ends the socket")
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
    // “hi”, masked with 1 2 3 4.
    client.send(Data([0x81, 0x82, 1, 2, 3, 4, 0x68 ^ 1, 0x69 ^ 2]))
    #expect(await client.read(4) == Data([0x81, 2, 0x48, 0x49]))
    // A frame that claims 2⁶² bytes.
    client.send(Data([0x82, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]))
    #expect(await client.read(4) == Data([0x88, 2, 0x03, 0xF1]))
  }

  @Test("A handler's socket is refused to who asks for none")
  func noUpgrade() async throws {
    let server = try server(handler: { _ in
      var response = HTTPResponse(426)
      response.socket = { _ in }
      return response
    })
    defer { server.stop() }
    #expect(try await RawClient.ask(server.port, "GET", "/").status == 426)
  }
}
