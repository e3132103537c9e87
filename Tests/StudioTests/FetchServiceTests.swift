import Foundation
import ModelTools
import Platform
import Testing

@testable import Service
@testable import Studio

@Suite("Downloads of the studio", .serialized, .timeLimit(.minutes(3)))
struct FetchServiceTests {
  /// A service with an empty cache, whose downloads wait until they are released.
  private final class Fixture: Sendable {
    let folder: PrivateFolder
    let cache: URL
    let fetched = Locked(0)
    let gate = DispatchSemaphore(value: 0)
    let failure = Locked<(any Error)?>(nil)
    let scratch = Locked<URL?>(nil)

    init() throws {
      folder = try PrivateFolder()
      cache = folder.location("cache")
    }

    func service() -> FetchService {
      FetchService(
        folder, EventHub(), cache: cache,
        download: { [self] model, cache, scratch, progress in
          self.scratch.withLock { $0 = scratch }
          progress("Downloading an archive")
          try Data(count: 1000).write(to: scratch.appendingPathComponent("archive.whl"))
          gate.wait()
          if let error = failure.withLock({ $0 }) { throw error }
          try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
          for file in model.files(in: cache) { try Data([1]).write(to: file) }
        }, fetched: { [self] in fetched.withLock { $0 += 1 } })
    }
  }

  private func wait(
    _ service: FetchService, _ name: String, until: (FetchService.Report) -> Bool
  ) async throws -> FetchService.Report {
    for _ in 0..<2000 {
      let report = try service.report(name)
      if until(report) { return report }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw HTTPError(504, "late", "The download did not get that far.")
  }

  @Test("A download reports its step and bytes, and ends with the model in the cache")
  func progress() async throws {
    let fixture = try Fixture()
    defer { fixture.folder.empty() }
    let service = fixture.service()
    #expect(service.reports.allSatisfy { $0.state == .missing })
    #expect(try service.begin("arbitrary-style").state == .fetching)
    let running = try await wait(service, "arbitrary-style") { $0.bytes ?? 0 > 0 }
    #expect(running.step == "Downloading an archive" && running.bytes == 1000)
    #expect(try service.begin("arbitrary-style").state == .fetching)
    fixture.gate.signal()
    let done = try await wait(service, "arbitrary-style") { $0.state != .fetching }
    #expect(done.state == .fetched && done.bytes == nil && done.error == nil)
    #expect(fixture.fetched.withLock { $0 } == 1)
    #expect(try service.begin("arbitrary-style").state == .fetched)
    let scratch = try #require(fixture.scratch.withLock { $0 })
    #expect(!FileManager.default.fileExists(atPath: scratch.path))
  }

  @Test("Only one model is downloaded at a time, and only models of known names")
  func oneAtATime() async throws {
    let fixture = try Fixture()
    defer { fixture.folder.empty() }
    let service = fixture.service()
    _ = try service.begin("vgg16")
    #expect { try service.begin("squeezenet") } throws: {
      ($0 as? HTTPError)?.status == 409 && ($0 as? HTTPError)?.message.contains("vgg16") == true
    }
    for name in ["", "../vgg16", "VGG16", "requests"] {
      #expect { try service.begin(name) } throws: { ($0 as? HTTPError)?.status == 404 }
    }
    fixture.gate.signal()
    _ = try await wait(service, "vgg16") { $0.state == .fetched }
    #expect(try service.begin("squeezenet").state == .fetching)
    fixture.gate.signal()
    _ = try await wait(service, "squeezenet") { $0.state == .fetched }
  }

  @Test("A failed download says why, and can be tried again")
  func failing() async throws {
    let fixture = try Fixture()
    defer { fixture.folder.empty() }
    let service = fixture.service()
    fixture.failure.withLock {
      $0 = ModelToolsError(.notFetched, "The package index does not answer.")
    }
    _ = try service.begin("judge")
    fixture.gate.signal()
    let failed = try await wait(service, "judge") { $0.state != .fetching }
    #expect(failed.state == .failed && failed.error?.contains("does not answer") == true)
    #expect(fixture.fetched.withLock { $0 } == 0)
    fixture.failure.withLock { $0 = nil }
    _ = try service.begin("judge")
    fixture.gate.signal()
    #expect(try await wait(service, "judge") { $0.state != .fetching }.state == .fetched)
  }

  @Test("The self-made certificate is private, and is made again only for other names")
  func certificate() throws {
    let folder = try PrivateFolder()
    defer { folder.empty() }
    let place = folder.location("certificates")
    let first = try ServerCertificate.selfSigned(in: place, names: ["localhost", "127.0.0.1"])
    let again = try ServerCertificate.selfSigned(in: place, names: ["127.0.0.1", "localhost"])
    let other = try ServerCertificate.selfSigned(in: place, names: ["10.0.0.7"])
    #expect(first.text == again.text && first.text != other.text)
    #expect(first.text.contains("PRIVATE KEY") && first.text.contains("BEGIN CERTIFICATE"))
    #expect(first.fingerprint.count == 32 * 3 - 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(files.count == 2)
    for file in files {
      let rights =
        try FileManager.default.attributesOfItem(
          atPath: place.appendingPathComponent(file).path)[.posixPermissions] as? NSNumber
      #expect(rights?.intValue == 0o600)
    }
  }
}
