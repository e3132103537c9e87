import CoreML
import Foundation
import Glibc
import Imaging
import Platform
import Testing

@testable import Service
@testable import Studio

@Suite("Models in worker processes", .serialized, .timeLimit(.minutes(20)))
struct WorkerTests {
  private func error(_ answer: (status: Int, head: String, body: Data)) -> (String, String) {
    let object = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    let error = object?["error"] as? [String: Any]
    return (error?["code"] as? String ?? "", error?["message"] as? String ?? "")
  }

  /// Waits until a worker is processing a request. Returns its process identifier.
  private func busyWorker(of studio: OpenStudio) async throws -> pid_t {
    for _ in 0..<600 {
      if let worker = studio.server.studio.workers.busyIdentifiers.first { return worker }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw CancellationError()
  }

  private func isAlive(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

  @Test(
    "A crashed worker fails only its request, and the next request succeeds",
    arguments: [SIGSEGV, SIGKILL])
  func crash(_ signal: Int32) async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let id = try await studio.upload(OpenStudio.largeNetwork("scream"))
    let photo = try OpenStudio.photo(1400, 1050)
    // If the signal arrives after the painting is done, the request succeeds. The test then tries again with a shorter
    // delay.
    var answer: (status: Int, head: String, body: Data)
    var wait = 160
    repeat {
      async let painting = studio.ask("POST", "/v1/stylize?style=\(id)", body: photo)
      let worker = try await busyWorker(of: studio)
      try await Task.sleep(for: .milliseconds(wait))
      kill(worker, signal)
      answer = try await painting
      wait /= 2
    } while answer.status == 200 && wait > 0
    #expect(answer.status == 500)
    #expect(error(answer).0 == "crashed")
    #expect(error(answer).1.contains("signal \(signal)"))
    let next = try await studio.ask(
      "POST", "/v1/stylize?style=\(id)", body: OpenStudio.photo())
    #expect(next.status == 200)
    #expect(studio.server.studio.workers.crashCount == 1)
    let metrics = try await studio.ask("GET", "/v1/metrics").body
    #expect(String(decoding: metrics, as: UTF8.self).contains("atelier_worker_crashes_total 1"))
  }

  @Test("The death of an idle worker is no error")
  func idleCrash() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let id = try await studio.upload(OpenStudio.smallNetwork("scream"))
    let worker = try #require(studio.server.studio.workers.identifiers.first)
    kill(worker, SIGKILL)
    usleep(50_000)
    let answer = try await studio.ask(
      "POST", "/v1/stylize?style=\(id)", body: OpenStudio.photo())
    #expect(answer.status == 200)
    #expect(studio.server.studio.workers.identifiers.first != worker)
  }

  @Test("A model that takes too long is stopped with a message")
  func slow() async throws {
    let studio = try OpenStudio { $0.predictionSeconds = 2 }
    defer { studio.close() }
    let id = try await studio.upload(OpenStudio.largeNetwork("scream"))
    let answer = try await studio.ask(
      "POST", "/v1/stylize?style=\(id)", body: OpenStudio.photo(3600, 2700))
    #expect(answer.status == 504)
    #expect(error(answer).1.contains("longer than 2"))
    let next = try await studio.ask(
      "POST", "/v1/stylize?style=\(id)", body: OpenStudio.photo())
    #expect(next.status == 200)
    #expect(studio.server.studio.workers.crashCount == 0)
  }

  @Test(
    "A painting in the studio's process that takes too long is stopped after a layer, with a message"
  )
  func slowOwn() async throws {
    let studio = try OpenStudio { $0.predictionSeconds = 0.3 }
    defer { studio.close() }
    let answer = try await studio.ask(
      "POST", "/v1/stylize?style=scream", body: OpenStudio.photo(2400, 1800))
    #expect(answer.status == 504)
    #expect(error(answer).1.contains("time limit"))
  }

  @Test("A cancelled painting ends its worker")
  func cancelled() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let id = try await studio.upload(OpenStudio.largeNetwork("scream"))
    let begun = try await studio.ask(
      "POST", "/v1/stylize?style=\(id)",
      headers: ["Prefer": "respond-async", "Atelier-Client": "me"],
      body: OpenStudio.photo(2400, 1800))
    let words = try JSONSerialization.jsonObject(with: begun.body) as? [String: Any]
    let job = try #require(words?["id"] as? String)
    let worker = try await busyWorker(of: studio)
    #expect(try await studio.ask("DELETE", "/v1/jobs/\(job)").status == 204)
    for _ in 0..<200 where isAlive(worker) { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!isAlive(worker))
    for _ in 0..<200 {
      let state = try await studio.json("GET", "/v1/jobs/\(job)")["state"] as? String
      if state == "cancelled" { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("the job is not cancelled")
  }

  @Test("A worker's painting and messages equal those of the studio's process")
  func same() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let id = try await studio.upload(OpenStudio.smallNetwork("great-wave"))
    let query = "network=small&format=png&colors=network"
    let photo = try OpenStudio.photo(161, 94)
    let own = try await studio.ask("POST", "/v1/stylize?style=great-wave&\(query)", body: photo)
    let other = try await studio.ask("POST", "/v1/stylize?style=\(id)&\(query)", body: photo)
    #expect(try Picture(data: own.body) == Picture(data: other.body))
    let details = try await studio.json("GET", "/v1/models/\(id)")
    #expect((details["model"] as? [String: Any])?["origin"] as? String == "upload")
    let nodes = try await studio.json("GET", "/v1/models/\(id)/graph")
    #expect(!nodes.isEmpty)
    let unknown = try await studio.ask("POST", "/v1/classify?model=\(id)", body: photo)
    #expect(unknown.status == 422)
  }

  @Test("Idle workers end after a while, and with the studio")
  func endings() async throws {
    let studio = try OpenStudio()
    _ = try await studio.upload(OpenStudio.smallNetwork("scream"))
    let pool = studio.server.studio.workers
    let first = try #require(pool.identifiers.first)
    #expect(isAlive(first))
    pool.end(unusedFor: .seconds(60))
    #expect(isAlive(first))
    pool.end(unusedFor: .zero)
    #expect(!isAlive(first))
    #expect(pool.identifiers.isEmpty)
    _ = try await studio.upload(OpenStudio.smallNetwork("scream"))
    let second = try #require(pool.identifiers.first)
    studio.close()
    #expect(!isAlive(second))
  }

  @Test("Progress counts a network's layers, in this process and in a worker")
  func progress() async throws {
    let limit = PictureLimit(pixels: 1 << 24)
    let order = PaintOrder(title: "scream", units: .cpuOnly, longerSide: nil)
    let photo = try OpenStudio.photo(640, 480)
    for worker: any ModelWorker in [
      LocalModelWorker(OpenModels(most: 1), limit, seconds: 60),
      WorkerPool(program: OpenStudio.program, limit, seconds: 60),
    ] {
      let reported = Locked<[Double]>([])
      _ = try await worker.answer(
        .paint(order), about: OpenStudio.largeNetwork("scream"), ["photo": photo]
      ) { share in reported.withLock { $0.append(share) } }
      let shares = reported.withLock { $0 }
      #expect(shares.first == 0)
      #expect(shares.count >= (worker is LocalModelWorker ? 10 : 2))
      #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
      #expect((0.2..<1).contains(shares.last ?? 1) || !(worker is LocalModelWorker))
      (worker as? WorkerPool)?.close()
    }
  }

  @Test("A peer that sends wrong lengths is disconnected", arguments: [0, 1, 2])
  func wrongLengths(_ kind: Int) throws {
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { ends.forEach { Glibc.close($0) } }
    let words: [UInt64] = [[1 << 40], [1, 1 << 50], [2, .max, 1]][kind]
    _ = words.withUnsafeBytes { write(ends[0], $0.baseAddress, $0.count) }
    #expect(throws: WorkerStream.Failure.ended) {
      _ = try WorkerStream(socket: ends[1]).receive(WorkerReply.self, most: 1 << 20)
    }
    #expect(throws: WorkerStream.Failure.late) {
      _ = try WorkerStream(socket: ends[1]).receive(
        WorkerReply.self, most: 1 << 20, until: .now + .milliseconds(50))
    }
  }

  @Test("Unused models are closed, and a replaced file is opened again")
  func open() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("one.mlmodel")
    try FileManager.default.copyItem(at: OpenStudio.smallNetwork("scream"), to: file)
    let models = OpenModels(most: 2)
    let first = try models.model(file, units: .all)
    #expect(try models.model(file, units: .all) === first)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.copyItem(at: OpenStudio.smallNetwork("great-wave"), to: file)
    #expect(try models.model(file, units: .all) !== first)
    #expect(models.count == 2)
    _ = try models.model(file, units: .cpuOnly)
    #expect(models.count == 2)
    #expect(!models.close(unusedFor: .seconds(60)))
    #expect(models.close(unusedFor: .zero))
    #expect(models.count == 0)
    #expect(throws: (any Error).self) {
      try models.model(folder.appendingPathComponent("none.mlmodel"), units: .all)
    }
  }
}
