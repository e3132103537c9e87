import FFmpeg
import Foundation
import Imaging
import Testing

@testable import Service
@testable import Studio

/// Whether ffmpeg and ffprobe are installed.
private let hasFFmpeg: Bool = (try? FilmPrograms()) != nil

@Suite(
  "Films in the studio", .serialized, .timeLimit(.minutes(20)), .enabled(if: hasFFmpeg))
struct FilmServiceTests {
  /// Runs ffmpeg or ffprobe, and returns its standard output.
  private static func output(_ program: String, _ words: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = words
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes: Data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(words)")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a film with sound, and returns its bytes.
  private static func film(frames: Int, ending: String = "mp4") throws -> Data {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("film-\(UUID().uuidString).\(ending)")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try output(
      FilmPrograms().ffmpeg,
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-f", "lavfi", "-i",
        "sine=440", "-frames:v", "\(frames)", "-shortest", "-c:v", "libx264", "-pix_fmt", "yuv420p",
        "-c:a", "aac", file.path,
      ])
    return try Data(contentsOf: file)
  }

  /// The tracks of a film: a line with the kind and the number of packets of each.
  private static func tracks(_ data: Data) throws -> String {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try data.write(to: file)
    return try output(
      FilmPrograms().ffprobe,
      [
        "-v", "error", "-count_packets", "-show_entries", "stream=codec_type,nb_read_packets",
        "-of",
        "csv=p=0", file.path,
      ])
  }

  private func upload(_ studio: OpenStudio, _ data: Data) async throws -> [String: Any] {
    try await studio.json("POST", "/v1/films?name=holiday.mp4", body: data)
  }

  private func paint(
    _ studio: OpenStudio, _ id: String, _ query: String = "style=scream"
  ) async throws -> (status: Int, head: String, body: Data) {
    try await studio.ask("POST", "/v1/films/\(id)/painting?\(query)")
  }

  /// Waits until a film has one of some states, and returns its report.
  private func report(
    _ studio: OpenStudio, _ id: String, _ states: Set<String>
  ) async throws -> [String: Any] {
    while true {
      let report = try await studio.json("GET", "/v1/films/\(id)")
      let state: String = report["state"] as? String ?? "none"
      if states.contains(state) || ["none", "failed"].contains(state) { return report }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test("A film is stored with three stills, painted, and downloaded with its sound")
  func paints() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let data: Data = try Self.film(frames: 30)
    let film = try await upload(studio, data)
    let id = try #require(film["id"] as? String, "\(film)")
    #expect(film["frames"] as? Int == 30 && film["audioTracks"] as? Int == 1)
    #expect(film["width"] as? Int == 64 && film["state"] as? String == "ready")
    let stills = try #require(film["stills"] as? [[String: Any]])
    let times: [Double] = stills.compactMap { $0["time"] as? Double }
    #expect(times.count == 3 && times == times.sorted() && times[2] > times[0] + 0.5, "\(times)")
    var pictures: [Data] = []
    for still in stills {
      let answer = try await studio.ask("GET", "/v1/pictures/\(still["picture"] ?? "")")
      #expect(answer.status == 200)
      pictures.append(answer.body)
    }
    #expect(Set(pictures).count == 3)
    #expect(try await studio.ask("GET", "/v1/films/\(id)/painting").status == 409)
    #expect(try await paint(studio, id, "style=scream&strength=0.9&stability=0.5").status == 202)
    let done = try await report(studio, id, ["done"])
    #expect(done["state"] as? String == "done", "\(done)")
    #expect(done["frame"] as? Int == 30)
    let painted = try await studio.ask("GET", "/v1/films/\(id)/painting")
    #expect(painted.status == 200 && painted.head.contains("video/mp4"))
    #expect(painted.body != data)
    #expect(try Self.tracks(painted.body) == Self.tracks(data))
    try await checkParts(studio, "/v1/films/\(id)/painting", painted)
    #expect(try await studio.ask("DELETE", "/v1/films/\(id)").status == 204)
    #expect(try await studio.ask("GET", "/v1/films/\(id)").status == 404)
  }

  /// Checks that a player gets the parts of a film that it asks for.
  private func checkParts(
    _ studio: OpenStudio, _ path: String, _ whole: (status: Int, head: String, body: Data)
  ) async throws {
    // Indices from zero on.
    let body = Data(whole.body)
    let count: Int = body.count
    func part(_ headers: [String: String]) async throws -> (status: Int, head: String, body: Data) {
      try await studio.ask("GET", path, headers: headers)
    }
    func line(_ head: String, _ name: String) -> String? {
      head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(name + ":") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
    #expect(line(whole.head, "accept-ranges") == "bytes")
    for (range, bytes) in [
      ("bytes=0-", 0..<count), ("bytes=0-0", 0..<1), ("bytes=100-299", 100..<300),
      ("bytes=\(count - 1)-\(count + 999)", count - 1..<count), ("bytes=-7", count - 7..<count),
      ("bytes=-\(count + 9)", 0..<count), ("bytes=5-\(Int.max)", 5..<count),
    ] {
      let found = try await part(["Range": range])
      #expect(found.status == 206 && found.body == body[bytes], "\(range)")
      #expect(
        line(found.head, "content-range")
          == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(count)", "\(range)")
    }
    for range in ["bytes=\(count)-", "bytes=\(count + 5)-\(count + 9)", "bytes=-0"] {
      let found = try await part(["Range": range])
      #expect(found.status == 416 && line(found.head, "content-range") == "bytes */\(count)")
    }
    for range in ["bytes=9-2", "bytes=0-1,5-6", "frames=0-1", "bytes=", "bytes=-", "bytes=+1-2"] {
      let found = try await part(["Range": range])
      #expect(found.status == 200 && found.body == whole.body, "\(range)")
    }
    let tag = try #require(line(whole.head, "etag"))
    #expect(try await part(["Range": "bytes=0-1", "If-Range": tag]).status == 206)
    #expect(try await part(["Range": "bytes=0-1", "If-Range": "\"other\""]).status == 200)
  }

  @Test(
    "A second film waits for the first one; both are cancelled, and all files go with the films")
  func cancels() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let data: Data = try Self.film(frames: 3000)
    var ids: [String] = []
    for _ in 0..<2 {
      let id = try #require(try await upload(studio, data)["id"] as? String)
      #expect(try await paint(studio, id).status == 202)
      ids.append(id)
    }
    _ = try await report(studio, ids[0], ["painting"])
    #expect(
      try await report(studio, ids[1], ["waiting", "painting"])["state"] as? String == "waiting")
    #expect(try await paint(studio, ids[0]).status == 409)
    for id in ids.reversed() {
      #expect(try await studio.ask("POST", "/v1/films/\(id)/stop").status == 204)
      let stopped = try await report(studio, id, ["stopped"])
      #expect(stopped["state"] as? String == "stopped", "\(stopped)")
      #expect(try await studio.ask("GET", "/v1/films/\(id)/painting").status == 409)
    }
    for id in ids { #expect(try await studio.ask("DELETE", "/v1/films/\(id)").status == 204) }
    let folder: String = studio.server.studio.folder.url.path
    while try FileManager.default.contentsOfDirectory(atPath: folder).contains(where: {
      $0.contains(ids[0]) || $0.contains(ids[1])
    }) {
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  @Test("An uploaded model paints a film in a process of its own")
  func uploadedModel() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let model: String = try await studio.upload(OpenStudio.smallNetwork("scream"))
    let id = try #require(try await upload(studio, try Self.film(frames: 10))["id"] as? String)
    #expect(try await paint(studio, id, "style=\(model)").status == 202)
    let done = try await report(studio, id, ["done"])
    #expect(done["state"] as? String == "done", "\(done)")
    #expect(!studio.server.studio.workers.identifiers.isEmpty)
  }

  @Test("Files that are no films, playlists, and invalid settings are refused with a sentence")
  func refuses() async throws {
    let studio = try OpenStudio { $0.filmBytes = 1 << 20 }
    defer { studio.close() }
    func code(_ path: String, _ body: Data) async throws -> (Int, String) {
      let answer = try await studio.ask("POST", path, body: body)
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }
    let text = try await code("/v1/films?name=a.mp4", Data("no film at all".utf8))
    #expect(text.0 == 422 && text.1.contains("'a.mp4'"), "\(text)")
    // A playlist names other files, which its sender may not read.
    let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/hostname\n#EXT-X-ENDLIST\n"
    #expect(try await code("/v1/films?name=a.m3u8", Data(playlist.utf8)).0 == 422)
    #expect(try await code("/v1/films", Data(count: 1 << 20 | 1)).0 == 413)
    #expect(try await studio.ask("POST", "/v1/films").status == 400)
    let id = try #require(try await upload(studio, try Self.film(frames: 3))["id"] as? String)
    for (query, status) in [
      ("", 400), ("style=nobody", 404), ("style=scream&stability=2", 400),
      ("style=scream&size=1", 400), ("style=scream&strength=x", 400),
    ] {
      #expect(try await paint(studio, id, query).status == status, "\(query)")
    }
    #expect(try await paint(studio, "v-none").status == 404)
    let list = try await studio.ask("GET", "/v1/films", headers: ["Atelier-Client": "other"])
    #expect(!String(decoding: list.body, as: UTF8.self).contains(id))
  }

  @Test(
    "Without ffmpeg, one sentence names the package, and the oldest of nine films is removed")
  func needs() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let service = FilmService(
      studio.server.studio.folder, studio.server.studio.pictures, studio.server.studio.events
    ) { throw FilmError(.program, "The program ffmpeg is missing: apt-get install ffmpeg.") }
    #expect(service.need?.contains("apt-get install ffmpeg") == true)
    #expect(throws: FilmError.self) { try service.add(Data(count: 9), name: "a", client: "") }
    let data: Data = try Self.film(frames: 3)
    var ids: [String] = []
    for _ in 0..<9 { ids.append(try #require(try await upload(studio, data)["id"] as? String)) }
    #expect(try await studio.ask("GET", "/v1/films/\(ids[0])").status == 404)
    #expect(try await studio.ask("GET", "/v1/films/\(ids[1])").status == 200)
  }
}
