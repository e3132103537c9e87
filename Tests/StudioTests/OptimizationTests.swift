import Foundation
import Imaging
import ModelTools
import Testing

@testable import Service
@testable import Studio

@Suite("Painting by optimisation in the studio", .serialized, .timeLimit(.minutes(20)))
struct OptimizationTests {
  private static let path = "/v1/optimizations?size=64&preset=draft"

  /// Waits until the report of a painting meets a condition, and returns the report.
  private func report(
    _ studio: OpenStudio, _ id: String, until isReached: ([String: Any]) -> Bool
  ) async throws -> [String: Any] {
    for _ in 0..<2400 {
      let report = try await studio.json("GET", "/v1/optimizations/\(id)")
      if isReached(report) || report["state"] as? String == "failed" { return report }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw HTTPError(504, "late", "The painting did not get that far.")
  }

  @Test(
    "A photo is painted like a style's painting; a second one waits, and can be stopped and removed",
    .enabled(if: FetchableModel.vgg16.isFetched()))
  func paints() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    // The first painting takes long, so the second one has to wait.
    let begun = try await studio.json(
      "POST", "/v1/optimizations?size=320&preset=best&style=scream",
      body: try OpenStudio.photo(360, 240))
    let first = try #require(begun["id"] as? String)
    let second = try await studio.json(
      "POST", Self.path + "&style=scream", body: try OpenStudio.photo(96, 64))
    let other = try #require(second["id"] as? String)
    #expect(try await studio.ask("GET", "/v1/optimizations/\(other)/picture").status == 409)
    #expect(try await studio.ask("POST", "/v1/optimizations/\(other)/stop").status == 204)
    let stopped = try await report(studio, other) { $0["state"] as? String == "stopped" }
    #expect(stopped["iteration"] as? Int == 0)
    #expect(try await studio.ask("POST", "/v1/optimizations/\(first)/stop").status == 204)
    _ = try await report(studio, first) { $0["state"] as? String == "stopped" }
    let third = try await studio.json(
      "POST", Self.path + "&style=scream", body: try OpenStudio.photo(96, 64))
    let id = try #require(third["id"] as? String)
    let done = try await report(studio, id) { $0["state"] as? String == "done" }
    #expect(done["state"] as? String == "done", "\(done)")
    #expect(try #require(done["version"] as? Int) >= 2)
    #expect(done["share"] as? Double == 1)
    let picture = try await studio.ask("GET", "/v1/optimizations/\(id)/picture?format=png")
    #expect(picture.status == 200)
    let painted = try Picture(data: picture.body, name: "the painting")
    #expect(painted.size == PictureSize(width: 64, height: 43))
    #expect(try await studio.ask("DELETE", "/v1/optimizations/\(id)").status == 204)
    #expect(try await studio.ask("GET", "/v1/optimizations/\(id)").status == 404)
  }

  @Test(
    "Without a photo, a painting or a sensible size, nothing begins",
    .enabled(if: FetchableModel.vgg16.isFetched()))
  func refuses() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let photo = try OpenStudio.photo(96, 64)
    #expect(try await studio.ask("POST", Self.path, body: photo).status == 400)
    #expect(try await studio.ask("POST", Self.path + "&style=scream").status == 400)
    #expect(try await studio.ask("POST", Self.path + "&style=nobody", body: photo).status == 404)
    let large = "/v1/optimizations?size=9999&style=scream"
    #expect(try await studio.ask("POST", large, body: photo).status == 400)
  }
}
