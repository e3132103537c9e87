import Foundation
import Imaging
import Testing

@testable import Service
@testable import Studio

@Suite("The Open Inference Protocol", .serialized, .timeLimit(.minutes(20)))
struct InferenceServerTests {
  private func server(
    _ change: (inout InferenceServer.Options) -> Void = { _ in }
  ) throws -> InferenceServer {
    var options = InferenceServer.Options()
    options.port = 0
    options.settling = 0
    options.models = [
      ("waves", try OpenStudio.smallNetwork("great-wave")),
      ("stars", try OpenStudio.smallNetwork("scream")),
    ]
    change(&options)
    let server = try InferenceServer(options)
    try server.start()
    return server
  }

  /// Returns a request for a painting of a small photo as pixels, and the length of its JSON.
  private func order() throws -> (body: Data, headers: [String: String]) {
    let photo = try OpenStudio.photo()
    let size = photo.count + 4
    let json = Data(
      """
      {"parameters": {"binary_data_output": true, "pictures": "array"}, "inputs": [{"name": "image",
      "datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": \(size)}}]}
      """.utf8)
    let length = withUnsafeBytes(of: UInt32(photo.count).littleEndian) { Data($0) }
    return (
      json + length + photo, ["Inference-Header-Content-Length": "\(json.count)"]
    )
  }

  private func error(_ body: Data) throws -> String {
    let found = try JSONSerialization.jsonObject(with: body) as? [String: Any]
    return try #require(found?["error"] as? String)
  }

  @Test("The OpenAPI document lists exactly the routes of the protocol")
  func document() throws {
    let bytes = try #require(Pages().bytes("inference.json"))
    let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    let paths = try #require(document?["paths"] as? [String: [String: Any]])
    let described = Set(paths.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } })
    let server = try server()
    defer { server.stop() }
    let served = Set(server.router.routes.map { "\($0.method.lowercased()) \($0.pattern)" })
    #expect(served.symmetricDifference(described) == ["get /metrics"])
  }

  @Test("The server and the studio give the same bits, for the studio's models and for uploads")
  func same() async throws {
    let server = try server()
    defer { server.stop() }
    let studio = try OpenStudio()
    defer { studio.close() }
    let uploaded = try await studio.upload(OpenStudio.smallNetwork("great-wave"))
    let (body, headers) = try order()
    let own = try await RawClient.ask(
      server.port, "POST", "/v2/models/waves/infer", headers: headers, body: body)
    #expect(own.status == 200)
    let length = try #require(
      own.head.firstMatch(of: /Inference-Header-Content-Length: (\d+)/).flatMap { Int($0.output.1) }
    )
    let json = try JSONSerialization.jsonObject(with: own.body.prefix(length)) as? [String: Any]
    #expect(json?["model_name"] as? String == "waves")
    let output = try #require((json?["outputs"] as? [[String: Any]])?.first)
    let shape = try #require(output["shape"] as? [Int])
    #expect(shape.last == 3)
    let pixels = Data(own.body.dropFirst(length))
    #expect(pixels.count == shape.reduce(1, *))
    let foreign = try await studio.ask(
      "POST", "/v2/models/\(uploaded)/infer", headers: headers, body: body)
    #expect(foreign.status == 200)
    #expect(Data(foreign.body.suffix(pixels.count)) == pixels)
    let metadata = try await studio.json("GET", "/v2/models/\(uploaded)/versions/1")
    #expect((metadata["inputs"] as? [[String: Any]])?.first?["datatype"] as? String == "BYTES")
    let missing = try await studio.ask("POST", "/v2/models/none/infer", body: Data([1]))
    #expect(missing.status == 404)
    #expect(try error(missing.body).contains("no model 'none'"))
  }

  @Test("A model can be unloaded and loaded")
  func repository() async throws {
    let server = try server()
    defer { server.stop() }
    func ask(_ method: String, _ path: String) async throws -> (Int, Data) {
      let answer = try await RawClient.ask(server.port, method, path)
      return (answer.status, answer.body)
    }
    #expect(try await ask("POST", "/v2/repository/models/waves/unload").0 == 200)
    #expect(try await ask("GET", "/v2/models/waves/ready").0 == 400)
    let (status, body) = try await ask("POST", "/v2/models/waves/infer")
    #expect(status == 400)
    #expect(try error(body).contains("unloaded"))
    let index = try await ask("POST", "/v2/repository/index").1
    let states = try JSONSerialization.jsonObject(with: index) as? [[String: String]]
    #expect(states?.map { $0["state"] ?? "" } == ["READY", "UNAVAILABLE"])
    #expect(try await ask("POST", "/v2/repository/models/waves/load").0 == 200)
    #expect(try await ask("GET", "/v2/models/waves/ready").0 == 200)
    #expect(try await ask("GET", "/v2/models/waves/versions/2").0 == 404)
  }

  @Test("Refusals have the form of the protocol, also before the body is read")
  func refusals() async throws {
    let server = try server { $0.token = "0123456789abcdef" }
    defer { server.stop() }
    let answer = try await RawClient.ask(server.port, "GET", "/v2/models/waves")
    #expect(answer.status == 401)
    #expect(try error(answer.body).hasPrefix("This server needs its token"))
    #expect(try await RawClient.ask(server.port, "GET", "/v2/health/ready").status == 200)
    let long = try await RawClient.ask(
      server.port, "POST", "/v2/models/waves/infer",
      headers: ["Authorization": "Bearer 0123456789abcdef", "Content-Length": "999999999"])
    #expect(long.status == 413)
    #expect(try error(long.body).contains("999999999"))
  }

  @Test("A server that ends answers the requests that it has accepted")
  func drain() async throws {
    let server = try server { $0.settling = 0.5 }
    let (body, headers) = try order()
    let port = server.port
    try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      for _ in 0..<24 {
        group.addTask {
          let answer = try await RawClient.ask(
            port, "POST", "/v2/models/waves/infer", headers: headers, body: body)
          return (answer.status, answer.head.contains("Connection: close"))
        }
      }
      let first = try #require(try await group.next())
      #expect(first.0 == 200)
      let isDone = await RawClient.onThread { server.stop() }
      #expect(isDone)
      for try await (status, _) in group { #expect(status == 200) }
    }
    await #expect(throws: (any Error).self) {
      try await RawClient.ask(port, "GET", "/v2/health/live")
    }
  }

  @Test("A server that ends is not ready, but still answers")
  func readiness() async throws {
    let server = try server { $0.settling = 1.5 }
    let port = server.port
    async let end = RawClient.onThread { server.stop() }
    try await Task.sleep(for: .milliseconds(300))
    let ready = try await RawClient.ask(port, "GET", "/v2/health/ready")
    #expect(ready.status == 503)
    #expect(ready.head.contains("Connection: close"))
    #expect(try await RawClient.ask(port, "GET", "/v2/models/waves").status == 200)
    #expect(await end)
  }

  @Test("Inferences are counted by model and outcome")
  func metrics() async throws {
    let server = try server()
    defer { server.stop() }
    let (body, headers) = try order()
    for _ in 0..<2 {
      _ = try await RawClient.ask(
        server.port, "POST", "/v2/models/waves/infer", headers: headers, body: body)
    }
    _ = try await RawClient.ask(
      server.port, "POST", "/v2/models/waves/infer", body: Data("{}".utf8))
    let text = String(
      decoding: try await RawClient.ask(server.port, "GET", "/metrics").body, as: UTF8.self)
    #expect(text.contains("atelier_inferences_total{model=\"waves\",outcome=\"answered\"} 2\n"))
    #expect(text.contains("atelier_inferences_total{model=\"waves\",outcome=\"refused\"} 1\n"))
    #expect(text.contains("atelier_inference_seconds_count{model=\"waves\"} 2\n"))
    #expect(text.contains("atelier_answers_total{class=\"2xx\"}"))
  }

  @Test("A model that cannot be opened is named")
  func missing() throws {
    let error = #expect(throws: HTTPError.self) {
      try server { $0.models.append(("gone", URL(fileURLWithPath: "/nowhere/x.mlmodel"))) }
    }
    #expect(error?.message.hasPrefix("The model 'gone' cannot be opened: ") == true)
  }
}
