import Foundation
import Testing

@testable import Service

@Suite("Parsing of requests")
struct RequestTests {
  @Test("A path's parts are decoded, and none leads outside")
  func path() throws {
    let head = try #require(
      HTTPHead(method: "GET", target: "/v1/a%20b/c?x=1&y=a+b&x=2&%zz=1", headers: []))
    #expect(head.path == ["v1", "a b", "c"])
    #expect(head.query == ["x": "2", "y": "a b"])
    for target in [
      "/../etc/passwd", "/v1/%2e%2e/x", "/v1/a%2Fb", "/v1/%00", "v1", "/v1/%ff",
      "/" + String(repeating: "a", count: 9000),
    ] {
      #expect(HTTPHead(method: "GET", target: target, headers: []) == nil, "\(target)")
    }
  }

  @Test("A repeated header is ignored")
  func doubled() throws {
    let head = try #require(
      HTTPHead(method: "GET", target: "/", headers: [("A", "1"), ("a", "2"), ("B", "3")]))
    #expect(head.header("a") == nil)
    #expect(head.has("a"))
    #expect(head.header("b") == "3")
  }

  private func form(_ body: String) throws -> MultipartBody {
    try MultipartBody(
      Data(body.replacingOccurrences(of: "\n", with: "\r\n").utf8),
      contentType: "multipart/form-data; boundary=\"xx\"")
  }

  @Test("A form is parsed, with files and empty fields")
  func multipart() throws {
    let body = try form(
      """
      --xx
      Content-Disposition: form-data; name="style"

      scream
      --xx
      Content-Disposition: form-data; name="photo"; filename="a \\"b\\".jpg"
      Content-Type: image/jpeg

      \u{1}--x\n\nend
      --xx
      Content-Disposition: form-data; name=empty


      --xx--

      """)
    #expect(body.parts.map(\.name) == ["style", "photo", "empty"])
    #expect(body.parts[0].data == Data("scream".utf8))
    #expect(body.parts[0].fileName == nil)
    #expect(body.parts[1].fileName == "a \"b\".jpg")
    #expect(body.parts[1].data == Data("\u{1}--x\r\n\r\nend".utf8))
    #expect(body.parts[2].data.isEmpty)
  }

  @Test(
    "A damaged form is refused with a message",
    arguments: [
      "", "--xx", "--xx\n", "--xx\nContent-Disposition: form-data; name=\"a\"\n\nno end",
      "--xx\nX: y\n\nv\n--xx--", "--xy\n\n--xy--",
    ])
  func damagedForm(_ body: String) throws {
    let error = #expect(throws: HTTPError.self) { try form(body) }
    #expect(error?.status == 400)
  }

  @Test("A form of too many parts is refused")
  func manyParts() throws {
    let part = "--xx\nContent-Disposition: form-data; name=\"a\"\n\nv\n"
    let body = String(repeating: part, count: MultipartBody.mostParts + 1) + "--xx--"
    #expect(throws: HTTPError.self) { try form(body) }
  }

  @Test("The handshake's key matches RFC 6455's example")
  func handshake() throws {
    let head = try #require(
      HTTPHead(
        method: "GET", target: "/v1/live",
        headers: [
          ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
          ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]))
    #expect(WebSocketHandshake.accept(head) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
