import Foundation
import Imaging
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
