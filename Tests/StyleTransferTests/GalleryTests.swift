import Encryption
import Foundation
import Imaging
import ModelFormat
import Testing

@testable import StyleTransfer

/// An empty folder that exists until the test ends.
private final class Folder {
  let url: URL
  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "gallery-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: url) }

  func make(_ path: String, _ text: String = "") throws -> URL {
    let file = url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }
}

private func description(_ name: String, lite: Bool = false) -> StyleDescription {
  var models: [StyleDescription.Model] = [
    .init(
      file: "model.mlmodel", algorithm: "cnn", bytes: 12, sha256: "ab",
      settings: ["iterations": .number(500), "strength": .number(5.5), "resumed": .flag(false)],
      losses: ["style": 0.25])
  ]
  if lite {
    models.append(.init(file: "lite.mlmodel", algorithm: "cnnLite", bytes: 3, sha256: "cd"))
  }
  return StyleDescription(
    name: name, title: "A Title", painter: "A Painter", year: "1889",
    source: .init(collection: "somewhere", file: "a.png", sha256: "ef"), models: models,
    licence: "MIT")
}

struct GalleryTests {
  private func gallery(in folder: Folder, at path: String = "Gallery") throws -> URL {
    for (name, lite) in [("great-wave", true), ("scream", false)] {
      let text = String(decoding: try description(name, lite: lite).encoded(), as: UTF8.self)
      _ = try folder.make("\(path)/\(name)/style.json", text)
      _ = try folder.make("\(path)/\(name)/model.mlmodel")
      if lite { _ = try folder.make("\(path)/\(name)/lite.mlmodel") }
    }
    _ = try folder.make("\(path)/photos/SOURCES.md")
    return folder.url.appendingPathComponent(path)
  }

  @Test(arguments: StyleAlgorithm.allCases)
  func `a training starts from the gallery's first style`(algorithm: StyleAlgorithm) throws {
    let network = try #require(try StyleGallery.startingNetwork(algorithm))
    let random = StyleNetwork(algorithm, seed: 1, architecture: network.architecture)
    #expect(network.values.map(\.count) == random.values.map(\.count))
    #expect(network.values.allSatisfy { $0.contains { $0 != 0 } })
  }

  @Test func `a description survives a round trip`() throws {
    let folder = try Folder()
    let file = try folder.make("style.json")
    try description("scream", lite: true).encoded().write(to: file)
    #expect(try StyleDescription(contentsOf: file) == description("scream", lite: true))
  }

  @Test func `an error for a damaged description names what is missing`() throws {
    let folder = try Folder()
    let file = try folder.make("style.json", "{\"name\": \"x\"}")
    let error = try #require(throws: StyleTransferError.self) {
      try StyleDescription(contentsOf: file)
    }
    #expect(error.message.contains("style.json"))
    #expect(error.message.contains("it has no '"))
  }

  @Test func `styles are found by name, and folders without a description are ignored`() throws {
    let folder = try Folder()
    let gallery = try StyleGallery(gallery(in: folder))
    #expect(gallery.entries.map(\.description.name) == ["great-wave", "scream"])
    #expect(try gallery.entry("Great Wave").description.name == "great-wave")
    let error = try #require(throws: StyleTransferError.self) { try gallery.entry("guernica") }
    #expect(error.message.contains("There is no style 'guernica'"))
    #expect(error.message.contains("it has great-wave, scream."))
  }

  @Test func `a style is found by name without reading the others' descriptions`() throws {
    let folder = try Folder()
    let gallery: URL = try self.gallery(in: folder)
    #expect(try StyleGallery.entry("Great Wave", in: gallery).description.name == "great-wave")
    let error = try #require(throws: StyleTransferError.self) {
      try StyleGallery.entry("../scream", in: gallery)
    }
    #expect(error.message.contains("it has great-wave, scream."))
    try Data("no description".utf8).write(
      to: gallery.appendingPathComponent("scream").appendingPathComponent(
        StyleDescription.descriptionFile))
    #expect(try StyleGallery.entry("great-wave", in: gallery).description.name == "great-wave")
  }

  @Test func `a style without a small network says so`() throws {
    let folder = try Folder()
    let gallery = try StyleGallery(gallery(in: folder))
    #expect(
      try gallery.entry("great-wave").model(lite: true).lastPathComponent == "lite.mlmodel")
    let error = try #require(throws: StyleTransferError.self) {
      try gallery.entry("scream").model(lite: true)
    }
    #expect(error.message == "Style 'scream' has no small network; leave out --lite.")
  }

  @Test func `a style of a network of several styles is written to the cache once`() throws {
    let folder = try Folder()
    let gallery: URL = try self.gallery(in: folder)
    let network = try MultiStyleNetwork(
      StyleNetwork(.cnnLite, seed: 2).withStyles(3), names: ["scream", "poppies", "photo"])
    try network.model().write(to: gallery.appendingPathComponent("lite.mlmodel"))
    let record = GalleryNetwork.Record(
      network: .init(
        file: "lite.mlmodel", algorithm: "cnnLite", bytes: 1, sha256: "0123456789abcdef99"),
      styles: ["scream", "poppies"])
    try GalleryNetwork.encoded([record]).write(
      to: gallery.appendingPathComponent(GalleryNetwork.listFile))
    let found = try #require(GalleryNetwork.all(in: gallery).first)
    let cache: URL = folder.url.appendingPathComponent("cache")
    let file: URL = try found.export("scream", to: cache)
    #expect(file.path == cache.path + "/gallery/0123456789abcdef/scream.mlmodel")
    let style = try StyleNetwork(.cnnLite, reading: ModelFile.open(file).model, name: "scream")
    #expect(style.architecture.styleCount == 0)
    let date: Date? = try file.resourceValues(forKeys: [.contentModificationDateKey])
      .contentModificationDate
    let again: URL = try found.export("scream", to: cache)
    #expect(again == file)
    let later: Date? = try again.resourceValues(forKeys: [.contentModificationDateKey])
      .contentModificationDate
    #expect(later == date)
    let entries = try StyleGallery(gallery)
    let (shared, alone) = try (entries.entry("scream"), entries.entry("great-wave"))
    #expect(shared.hasLite && alone.hasLite)
    // A network in the style's folder is preferred.
    let own: URL = try alone.model(lite: true)
    #expect(own.deletingLastPathComponent().lastPathComponent == "great-wave")
    let error = #expect(throws: StyleTransferError.self) {
      try found.export("scream", to: URL(fileURLWithPath: "/proc/no"))
    }
    #expect(error?.message.contains("Set XDG_CACHE_HOME") == true)
  }

  @Test func `the list of networks names only styles that have a description, and right digests`()
    throws
  {
    let gallery = try StyleGallery.installed()
    for network in try GalleryNetwork.all(in: gallery.folder) {
      let bytes = try Data(contentsOf: network.file)
      #expect(network.record.network.bytes == bytes.count)
      let digest: String = try SHA256.hexDigest(of: bytes)
      #expect(network.record.network.sha256 == digest)
      let names: [String] = try network.read().paintedNames
      #expect(names == network.styles)
      for style in network.styles { _ = try gallery.entry(style) }
    }
  }

  @Test(arguments: ["Gallery", "share/atelier/Gallery"])
  func `the gallery is found in a folder above the program`(path: String) throws {
    let folder = try Folder()
    let expected = try gallery(in: folder, at: path)
    let program = try folder.make(".build/release/atelier")
    let found = try StyleGallery.installed(environment: [:], program: program)
    #expect(
      found.folder.resolvingSymlinksInPath().path == expected.resolvingSymlinksInPath().path)
  }

  @Test func `the environment variable takes precedence over nearby folders`() throws {
    let (near, named) = try (Folder(), Folder())
    _ = try gallery(in: near)
    _ = try named.make(
      "other/style.json", String(decoding: description("other").encoded(), as: UTF8.self))
    let found = try StyleGallery.installed(
      environment: ["ATELIER_GALLERY": named.url.path], program: near.make("bin/atelier"))
    #expect(found.entries.map(\.description.name) == ["other"])
  }

  @Test func `without a gallery nearby, the message says how to specify one`() throws {
    let folder = try Folder()
    let error = try #require(throws: StyleTransferError.self) {
      try StyleGallery.installed(environment: [:], program: folder.make("bin/atelier"))
    }
    #expect(error.message.contains("Set ATELIER_GALLERY"))
  }

  @Test func `the table of paintings is complete`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appendingPathComponent("Gallery/paintings.tsv"), encoding: .utf8)
    let records = try PaintingRecord.table(text)
    #expect(Set(records.map(\.name)).count == records.count)
    #expect(records.count >= 8)
    #expect(records.contains { $0.name == "starry-night" && $0.year == "1889" })
    for record in records {
      #expect(Int(record.year.suffix(4)) != nil, "\(record.name)")
      #expect(!record.title.isEmpty && !record.painter.isEmpty && !record.collection.isEmpty)
    }
  }

  @Test func `a training's settings and final losses are written to the description`() throws {
    let folder = try Folder()
    _ = try folder.make(
      "settings.json", #"{"iterations": 500, "weights": {"style": 1.5}, "name": "x", "none": null}"#
    )
    _ = try folder.make("losses.csv", "iteration,total,style\n1,9,8\n500,2.5,1.25\n")
    let record = try TrainingRecord(folder: folder.url)
    #expect(
      record.settings
        == ["iterations": .number(500), "weights.style": .number(1.5), "name": .text("x")])
    // The record has the mean of both rows, because there are fewer than twenty.
    #expect(record.losses == ["iteration": 250.5, "total": 5.75, "style": 4.625])
  }
}

struct ContactSheetTests {
  private func plain(_ value: UInt8, width: Int, height: Int) throws -> Picture {
    try Picture(
      width: width, height: height,
      pixels: [UInt8](repeating: value, count: width * height * 3))
  }

  private func pixel(_ picture: Picture, _ x: Int, _ y: Int) -> UInt8 {
    picture.pixels[(y * picture.width + x) * 3]
  }

  @Test func `images are arranged in reading order on white`() throws {
    let sheet = try ContactSheet(
      [
        (plain(10, width: 50, height: 50), ""), (plain(90, width: 50, height: 25), ""),
        (plain(170, width: 50, height: 50), ""),
      ],
      columns: 2, side: 50
    ).picture()
    #expect(sheet.width == 16 + 66 * 2)
    #expect(sheet.height == 16 + 66 * 2)
    #expect(pixel(sheet, 0, 0) == 255)
    #expect(pixel(sheet, 20, 20) == 10)
    #expect(pixel(sheet, 90, 20) == 90)
    #expect(pixel(sheet, 90, 60) == 255)
    #expect(pixel(sheet, 20, 90) == 170)
    #expect(pixel(sheet, 90, 90) == 255)
  }

  @Test func `names are drawn below the images`() throws {
    let sheet = try ContactSheet([(plain(200, width: 64, height: 64), "great-wave")], side: 64)
      .picture()
    let below: [UInt8] = (80..<sheet.height).flatMap { y in
      (0..<sheet.width).map { pixel(sheet, $0, y) }
    }
    #expect(below.contains { $0 < 100 })
    #expect(below.last == 255)
  }

  @Test func `letters with accents can be drawn, and all letters differ`() {
    #expect(PixelFont.rows(of: "é") == PixelFont.rows(of: "E"))
    #expect(PixelFont.rows(of: "a") == PixelFont.rows(of: "A"))
    let letters: [[UInt8]] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".map { PixelFont.rows(of: $0) }
    #expect(Set(letters).count == 36)
    #expect(letters.allSatisfy { $0.count == PixelFont.height && $0.allSatisfy { $0 < 32 } })
  }

  @Test func `an empty sheet is refused`() {
    #expect(throws: StyleTransferError.self) { try ContactSheet([]).picture() }
  }
}
