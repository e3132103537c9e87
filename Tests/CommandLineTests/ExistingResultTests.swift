import Foundation
import Imaging
import ModelFormat
import Testing

/// Tests that training does not overwrite its outputs, and that `atelier stylize` does not paint its own paintings.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable), .serialized)
struct ExistingResultTests {
  private func photos(_ folder: URL) throws -> String {
    let photos: String = folder.path + "/photos"
    try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
    for name in ["a.jpg", "b.png"] {
      try Picture(width: 96, height: 64, pixels: [UInt8](repeating: 90, count: 96 * 64 * 3))
        .write(toFile: "\(photos)/\(name)")
    }
    return photos
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("Painting a folder twice paints each photo once")
  func twice() throws {
    try Fixtures.withFolder { folder in
      let photos: String = try photos(folder)
      let words: [String] = ["stylize", photos, "-m", Fixtures.styleBlue.path]
      #expect(try Program.run(words).errors.isEmpty)
      let once: [String] = try names(photos)
      #expect(once == ["a-StyleBlue.jpg", "a.jpg", "b-StyleBlue.png", "b.png"])
      let second = try Program.run(words)
      #expect(second.status == 0)
      #expect(
        second.errors == "2 pictures are skipped because Atelier painted them"
          + " ('\(photos)/a-StyleBlue.jpg', …); --again paints them too.\n")
      #expect(try names(photos) == once)
    }
  }

  @Test("Paintings under other names are recognised and skipped, and painted on request")
  func renamed() throws {
    try Fixtures.withFolder { folder in
      let photos: String = try photos(folder)
      let words: [String] = ["stylize", photos, "-m", Fixtures.styleBlue.path]
      _ = try Program.run(words)
      for (old, new) in [("a-StyleBlue.jpg", "c.jpg"), ("b-StyleBlue.png", "d.png")] {
        try FileManager.default.moveItem(atPath: "\(photos)/\(old)", toPath: "\(photos)/\(new)")
      }
      let other = try Program.run(
        "stylize", photos, "-m", Fixtures.styleBlue.path, "-o", folder.path + "/out")
      #expect(other.errors.contains("('\(photos)/c.jpg', …)"))
      #expect(try names(folder.path + "/out") == ["a.jpg", "b.png"])
      let again = try Program.run(words + ["--again", "-o", folder.path + "/all"])
      #expect(again.status == 0 && again.errors.isEmpty)
      #expect(try names(folder.path + "/all") == ["a.jpg", "b.png", "c.jpg", "d.png"])
      // A painting in a folder of photos is skipped. A painting that is the only argument is painted.
      let alone = try Program.run(
        "stylize", photos + "/c.jpg", "-m", Fixtures.styleBlue.path, "-o", folder.path + "/e.png")
      #expect(alone.status == 0, "\(alone.errors)")
      let paintings: String = folder.path + "/out"
      let none = try Program.run("stylize", paintings, "-m", Fixtures.styleBlue.path)
      #expect(none.status == 1)
      #expect(none.errors.contains("Atelier painted all of these pictures"))
    }
  }

  @Test("A damaged photo is refused with a message")
  func damaged() throws {
    try Fixtures.withFolder { folder in
      let photos: String = try photos(folder)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: photos + "/a.jpg"))
      let marker = Data([0xFF, 0xC0])
      let frame = try #require(bytes.range(of: marker)).lowerBound
      bytes.replaceSubrange((frame + 5)..<(frame + 9), with: [0x3E, 0x80, 0x3E, 0x80])
      try bytes.write(to: URL(fileURLWithPath: photos + "/a.jpg"))
      let outcome = try Program.run(
        "stylize", photos + "/a.jpg", "-m", Fixtures.styleBlue.path, "--size", "64")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("the file is damaged"), "\(outcome.errors)")
      #expect(try names(photos) == ["a.jpg", "b.png"])
    }
  }

  @Test("An existing training or model is not overwritten without an option")
  func training() throws {
    try Fixtures.withFolder { folder in
      let photos: String = try photos(folder)
      let model: String = folder.path + "/style.mlmodel"
      let training: String = folder.path + "/style.training"
      let words: [String] = ["train", photos + "/a.jpg", "--content", photos, "-o", model]
      try FileManager.default.createDirectory(atPath: training, withIntermediateDirectories: true)
      try Data("hours of work".utf8).write(to: URL(fileURLWithPath: training + "/checkpoint"))
      let refused = try Program.run(words)
      #expect(refused.status == 1)
      #expect(
        refused.errors == "atelier train: Folder '\(training)' contains a training already;"
          + " --resume continues it, --overwrite replaces it.\n")
      let both = try Program.run(words + ["--resume", "--overwrite"])
      #expect(both.status == 2)
      #expect(both.errors.contains("exclude each other"))
      try FileManager.default.removeItem(atPath: training)

      try Data("hours of work".utf8).write(to: URL(fileURLWithPath: model))
      for option in [[], ["--resume"]] {
        let finished = try Program.run(words + option)
        #expect(finished.status == 1)
        #expect(finished.errors.contains("exists already, without a training to resume"))
      }
      #expect(try String(contentsOfFile: model, encoding: .utf8) == "hours of work")
    }
  }

  @Test("The temporary files of a killed painter are removed by the next run")
  func leftovers() throws {
    try Fixtures.withFolder { folder in
      let photos: String = try photos(folder)
      try Data("half".utf8).write(
        to: URL(fileURLWithPath: photos + "/.a-StyleBlue.jpg.0a1b2c3d.partial"))
      let outcome = try Program.run(
        "stylize", photos + "/a.jpg", "-m", Fixtures.styleBlue.path)
      #expect(outcome.status == 0)
      #expect(try names(photos) == ["a-StyleBlue.jpg", "a.jpg", "b.png"])
    }
  }
}
