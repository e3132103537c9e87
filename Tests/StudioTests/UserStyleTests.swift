import Foundation
import Imaging
import ModelTools
import Testing

@testable import Service
@testable import Studio

@Suite("The user's own styles", .serialized, .timeLimit(.minutes(20)))
struct UserStyleTests {
  /// Creates a ZIP archive of uncompressed files, according to APPNOTE.TXT. `claims` is the unpacked size that the
  /// archive states for each file. If `claims` is nil, the archive states the true sizes.
  private func archive(_ files: [(name: String, data: Data)], claims: Int? = nil) -> Data {
    func bytes(_ number: Int, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
    var records = Data()
    var list = Data()
    for (name, data) in files {
      let offset = records.count
      let sizes = bytes(data.count, 4) + bytes(claims ?? data.count, 4)
      // The fields are version, flags, method, time and date (together 4 bytes), the checksum, which the reader
      // ignores, and the two sizes.
      let common = bytes(20, 2) + bytes(0, 2) + bytes(0, 2) + bytes(0, 4) + bytes(0, 4) + sizes
      records += bytes(0x0403_4B50, 4) + common + bytes(name.utf8.count, 2) + bytes(0, 2)
      records += Data(name.utf8) + data
      list += bytes(0x0201_4B50, 4) + bytes(20, 2) + common + bytes(name.utf8.count, 2)
      list += bytes(0, 12) + bytes(offset, 4) + Data(name.utf8)
    }
    let end =
      bytes(0x0605_4B50, 4) + bytes(0, 4) + bytes(files.count, 2) + bytes(files.count, 2)
      + bytes(list.count, 4) + bytes(records.count, 4) + bytes(0, 2)
    return records + list + end
  }

  /// Creates an archive in which all files share the same bytes. So the total size of the files seems to be much larger
  /// than the archive.
  private func overlapping(_ count: Int, claims: Int?) -> Data {
    func bytes(_ number: Int, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }
    let region = Data(count: 1 << 20)
    let names = ["Manifest.json"] + (1..<count).map { "Data/\($0)" }
    let sizes = bytes(region.count, 4) + bytes(claims ?? region.count, 4)
    let common = bytes(20, 2) + bytes(0, 2) + bytes(0, 2) + bytes(0, 4) + bytes(0, 4) + sizes
    let record =
      bytes(0x0403_4B50, 4) + common + bytes(6, 2) + bytes(0, 2) + Data("Data/a".utf8) + region
    var list = Data()
    for name in names {
      list += bytes(0x0201_4B50, 4) + bytes(20, 2) + common + bytes(name.utf8.count, 2)
      list += bytes(0, 12) + bytes(0, 4) + Data(name.utf8)
    }
    return record + list + bytes(0x0605_4B50, 4) + bytes(0, 4) + bytes(count, 2) + bytes(count, 2)
      + bytes(list.count, 4) + bytes(record.count, 4) + bytes(0, 2)
  }

  private static let manifest = """
    {"fileFormatVersion": "1.0.0", "rootModelIdentifier": "M", "itemInfoEntries":
    {"M": {"author": "com.apple.CoreML", "description": "", "name": "model.mlmodel",
    "path": "com.apple.CoreML/model.mlmodel"}}}
    """

  private func package(_ folder: String) throws -> [(name: String, data: Data)] {
    [
      ("\(folder)Manifest.json", Data(Self.manifest.utf8)),
      (
        "\(folder)Data/com.apple.CoreML/model.mlmodel",
        try Data(contentsOf: OpenStudio.smallNetwork("great-wave"))
      ), ("__MACOSX/._x", Data([1])), ("\(folder)Data/", Data()),
    ]
  }

  @Test("A zipped package is equivalent to its folder", arguments: ["Wave.mlpackage/", ""])
  func packed(_ folder: String) async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let answer = try await studio.ask(
      "POST", "/v1/models?name=Wave.mlpackage.zip", body: archive(try package(folder)))
    #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
    let words = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    #expect(words?["kind"] as? String == "style")
    #expect(words?["title"] as? String == "Wave")
    let id = try #require(words?["id"] as? String)
    let photo = try OpenStudio.photo()
    let query = "network=small&format=png&colors=network"
    let own = try await studio.ask("POST", "/v1/stylize?style=\(id)&\(query)", body: photo)
    let wave = try await studio.ask("POST", "/v1/stylize?style=great-wave&\(query)", body: photo)
    #expect(try Picture(data: own.body) == Picture(data: wave.body))
  }

  @Test(
    "Archives that are damaged, have paths outside their folder, or declare huge sizes are refused")
  func badArchives() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let valid = archive(try package(""))
    let many = (0..<300).map { (name: "Data/\($0)", data: Data([1])) }
    for (body, status) in [
      (archive([("../evil", Data([1])), ("Manifest.json", Data([1]))]), 422),
      (archive([("/etc/passwd", Data([1]))]), 422), (Data(valid.prefix(200)), 422),
      (archive(many), 422), (archive([("Data/x", Data([1]))], claims: 0xF000_0000), 413),
      (archive([("Data/x", Data([1, 2, 3]))], claims: 2), 422),
      (overlapping(190, claims: 0), 422), (overlapping(190, claims: nil), 422),
      (
        archive([
          ("Manifest.json", Data([1])), ("Data/a", Data([1])), ("Data/a/b", Data([1])),
        ]), 422
      ),
      (archive([("Data/a", Data([1]))]), 422),
    ] {
      let answer = try await studio.ask("POST", "/v1/models?name=x", body: body)
      let words = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.status == status, "\(words)")
      for raw in ["NSError", "Error Domain", "CocoaError"] {
        #expect(!words.contains(raw), "\(words)")
      }
    }
    let left = try FileManager.default.contentsOfDirectory(
      atPath: studio.server.studio.folder.url.path)
    #expect(left.filter { $0.hasPrefix("m-") } == [])
    let models = try await studio.json("GET", "/v1/models")["models"] as? [[String: Any]]
    #expect(models?.contains { $0["origin"] as? String == "upload" } == false)
  }

  @Test(
    "Any painting becomes a style immediately, differs from others, and can be removed",
    .enabled(if: FetchableModel.arbitraryStyle.isFetched()))
  func anyPainting() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    var paintings: [Picture] = []
    let photo = try OpenStudio.photo(160, 120)
    for name in ["scream", "great-wave"] {
      let file = OpenStudio.model("\(name)/painting").deletingPathExtension()
        .appendingPathExtension("jpg")
      let answer = try await studio.ask(
        "POST", "/v1/styles?name=\(name).jpg", body: try Data(contentsOf: file))
      #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
      let words = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
      #expect(words?["title"] as? String == name)
      let id = try #require(words?["id"] as? String)
      let path = "/v1/stylize?style=\(id)&format=png"
      let painted = try await studio.ask("POST", path, body: photo)
      #expect(painted.status == 200)
      #expect(try await studio.ask("POST", path, body: photo).body == painted.body)
      paintings.append(try Picture(data: painted.body))
      #expect(try await studio.ask("GET", "/v1/styles/\(id)/thumbnail?size=64").status == 200)
      #expect(try await studio.ask("GET", "/v1/styles/\(id)/painting").status == 200)
      #expect(try await studio.ask("DELETE", "/v1/styles/\(id)").status == 204)
      #expect(try await studio.ask("POST", path, body: photo).status == 404)
    }
    #expect((paintings[0].width, paintings[0].height) == (160, 120))
    #expect(paintings[0] != paintings[1])
    let models = try await studio.json("GET", "/v1/models")["models"] as? [[String: Any]]
    #expect(models?.contains { $0["origin"] as? String == "painting" } == false)
    let text = try await studio.ask("POST", "/v1/styles", body: Data("no picture".utf8))
    #expect(text.status == 422)
    #expect(try await studio.ask("DELETE", "/v1/styles/great-wave").status == 409)
  }
}
