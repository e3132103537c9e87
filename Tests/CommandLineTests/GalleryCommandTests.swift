import Foundation
import Imaging
import ModelFormat
import StyleTransfer
import Testing

/// Tests the style gallery, contact sheets and optimisation-based style transfer on the command line.
@Suite(.enabled(if: Program.isBuilt))
struct GalleryCommandTests {
  private static let description = """
    {"name": "blue", "title": "Blue", "painter": "Nobody", "year": "1900", "licence": "MIT",
     "source": {"collection": "here", "file": "blue.png", "sha256": "00"},
     "models": [{"file": "model.mlmodel", "algorithm": "cnn", "bytes": 1, "sha256": "00",
                 "settings": {"strength": 5}, "losses": {"style": 0.5}}]}
    """

  private func withGallery<R>(_ body: (URL, [String: String]) throws -> R) throws -> R {
    try Fixtures.withFolder { folder in
      let style = folder.appendingPathComponent("blue", isDirectory: true)
      try FileManager.default.createDirectory(at: style, withIntermediateDirectories: true)
      try Data(Self.description.utf8).write(to: style.appendingPathComponent("style.json"))
      return try body(style, ["ATELIER_GALLERY": folder.path])
    }
  }

  private func picture(_ width: Int, _ height: Int, at file: URL) throws {
    try Picture(
      width: width, height: height, pixels: [UInt8](repeating: 90, count: width * height * 3)
    ).write(toFile: file.path)
  }

  @Test func `styles are listed with title, painter and year`() throws {
    try withGallery { _, environment in
      let outcome = try Program.run(["styles"], environment: environment)
      #expect(outcome.status == 0)
      #expect(outcome.output == "  blue  Blue, Nobody, 1900\n")
      let json = try Program.run(["styles", "--json"], environment: environment).output
      let descriptions = try #require(
        JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
      #expect(descriptions.count == 1)
      #expect(descriptions[0]["painter"] as? String == "Nobody")
    }
  }

  @Test func `an unknown style is refused with the list of styles`() throws {
    try withGallery { _, environment in
      let outcome = try Program.run(
        ["stylize", "photo.jpg", "--style", "green"], environment: environment)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("There is no style 'green'"))
      #expect(outcome.errors.contains("it has blue."))
    }
  }

  @Test(.enabled(if: Fixtures.areAvailable))
  func `a gallery style paints a photo`() throws {
    try withGallery { style, environment in
      try FileManager.default.copyItem(
        at: Fixtures.styleBlue, to: style.appendingPathComponent("model.mlmodel"))
      let photo = style.appendingPathComponent("photo.png")
      try picture(96, 64, at: photo)
      let outcome = try Program.run(
        ["stylize", photo.path, "--style", "blue"], environment: environment)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let painting = try Picture(
        contentsOf: style.appendingPathComponent("photo-blue.png"))
      #expect(painting.width == 96 && painting.height == 64)
    }
  }

  @Test func `a network of several styles is published, mixed, and exported`() throws {
    try Fixtures.withFolder { folder in
      let gallery = folder.appendingPathComponent("Gallery")
      let environment = ["ATELIER_GALLERY": gallery.path, "XDG_CACHE_HOME": folder.path + "/cache"]
      try FileManager.default.createDirectory(at: gallery, withIntermediateDirectories: true)
      let table = ["sea", "fire"].map { "\($0)\t\($0).png\tThe \($0)\tA Painter\t1900\there\n" }
      try Data(table.joined().utf8).write(to: gallery.appendingPathComponent("paintings.tsv"))
      for name in ["sea", "fire", "snow"] {
        try picture(48, 40, at: folder.appendingPathComponent("\(name).png"))
      }
      let names: [String] = ["snow", "fire", "sea", MultiStyleNetwork.photoName]
      let model = folder.appendingPathComponent("many.mlmodel")
      try MultiStyleNetwork(StyleNetwork(.cnnLite, seed: 5).withStyles(4), names: names).model()
        .write(to: model)
      let incomplete = try Program.run(
        "publish", "sea", "fire", "--model", model.path, "--lite", "--paintings", gallery.path,
        "--gallery", gallery.path)
      #expect(incomplete.status == 1 && incomplete.errors.contains("sea.png"))
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: gallery.path) == ["paintings.tsv"])
      let published = try Program.run(
        [
          "publish", "sea", "fire", "--model", model.path, "--lite", "--paintings", folder.path,
          "--gallery", gallery.path,
        ])
      #expect(published.status == 0, "\(published.errors)")
      let listed = try Program.run(["styles"], environment: environment)
      #expect(
        listed.output == "  fire  The fire, A Painter, 1900; also --lite\n"
          + "  sea   The sea, A Painter, 1900; also --lite\n")
      let photo: String = folder.path + "/sea.png"
      for (options, ending) in [
        (["--style", "fire"], "fire-lite"),
        (["--style", "fire:0.6,sea:0.4"], "fire0.6-sea0.4-lite"),
        (["--style", "sea", "--strength", "0.5"], "sea-lite"),
      ] {
        let outcome = try Program.run(
          ["stylize", photo, "--lite"] + options, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let painted: Picture = try Picture(contentsOfFile: "\(folder.path)/sea-\(ending).png")
        #expect(painted.width == 48 && painted.height == 40)
      }
      let exported = try Program.run(
        ["styles", "--style", "sea", "--lite", "-o", folder.path + "/Sea.mlmodel"],
        environment: environment)
      #expect(exported.status == 0, "\(exported.errors)")
      let missing = try Program.run(
        ["stylize", photo, "--style", "snow", "--strength", "0.5", "--lite"],
        environment: environment)
      #expect(missing.status == 1 && missing.errors.contains("no style 'snow'; it has sea, fire."))
      let large = try Program.run(
        ["stylize", photo, "--style", "sea", "--strength", "0.5"], environment: environment)
      #expect(large.status == 1 && large.errors.contains("has no network of several styles"))
    }
  }

  @Test func `a style and a model cannot be combined`() throws {
    let outcome = try Program.run(
      "stylize", "photo.jpg", "--style", "a", "--model", Fixtures.styleBlue.path)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("give one of them"))
    let none = try Program.run("stylize", "photo.jpg")
    #expect(none.status == 2)
    #expect(
      none.errors.contains("--style NAME, --model MODEL or --style-image PAINTING is missing."))
  }

  @Test func `a contact sheet contains all images`() throws {
    try Fixtures.withFolder { folder in
      let file = folder.appendingPathComponent("one.png")
      try picture(60, 40, at: file)
      let sheet = folder.appendingPathComponent("sheet.png")
      let outcome = try Program.run(
        "sheet", file.path, "\(file.path)=Two", file.path, "--side", "60", "--columns", "3",
        "--output", sheet.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let picture = try Picture(contentsOf: sheet)
      #expect(picture.width == 16 + 3 * (60 + 16))
      #expect(picture.height > 40 + 2 * 16)
    }
  }

  @Test func `painting needs VGG-16, and the message says how to fetch it`() throws {
    try Fixtures.withFolder { folder in
      let file = folder.appendingPathComponent("one.png")
      try picture(60, 40, at: file)
      let outcome = try Program.run(
        ["paint", file.path, "--style", file.path, "-o", folder.path + "/out.png"],
        environment: ["XDG_CACHE_HOME": folder.path])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Run `atelier fetch vgg16` first."))
    }
  }

  @Test func `there may not be more weights or masks than paintings`() throws {
    try Fixtures.withFolder { folder in
      let file = folder.appendingPathComponent("one.png")
      try picture(60, 40, at: file)
      let outcome = try Program.run(
        "paint", file.path, "--style", file.path, "--style-weight", "1", "--style-weight", "2",
        "-o", "out.png")
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains("--style-weight is given 2 times for 1 paintings."))
      let odd = try Program.run(
        "paint", file.path, "--style", file.path, "--strength", "11", "-o", "out.png")
      #expect(odd.status == 2)
      #expect(odd.errors.contains("--strength is '11', expected a number from 0 to 1.5."))
    }
  }
}
