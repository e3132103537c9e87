import Foundation
import Imaging
import Testing

/// Tests standard input and output, folders, and the metadata of paintings on the command line.
@Suite(.enabled(if: Program.isBuilt))
struct PipeTests {
  private static let style: String = GenerateTests.root
    .appendingPathComponent("Examples/Scream.mlmodel").path

  /// Runs a shell command in a folder. `atelier` is the program under test.
  private func shell(_ command: String, in folder: URL) throws -> Program.Outcome {
    let program: URL = try #require(Program.binary)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = [
      "-o", "pipefail", "-c", "atelier() { '\(program.path)' \"$@\"; }; \(command)",
    ]
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging([
      "STYLE": Self.style, "ATELIER_TUNING": "off",
    ]) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Program.Outcome(
      status: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
      errors: String(decoding: complaint, as: UTF8.self))
  }

  private func withPhotos<Result>(_ count: Int, _ body: (URL) throws -> Result) throws -> Result {
    try Fixtures.withFolder { folder in
      for index in 0..<count {
        let picture = try Picture(
          width: 40, height: 32,
          pixels: (0..<3840).map { UInt8(($0 * (index + 3)) % 251) })
        try picture.write(toFile: folder.path + "/\(index).jpg")
      }
      return try body(folder)
    }
  }

  @Test("A photo from standard input is painted to standard output")
  func pipe() throws {
    try withPhotos(1) { folder in
      let outcome = try shell(
        "cat 0.jpg | atelier stylize - -m $STYLE -o - --format png > out.png", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.errors.contains("- (40 × 32) → - (40 × 32)"), "\(outcome.errors)")
      #expect(try Picture.probe(folder.path + "/out.png").format == .png)
      let implied = try shell("cat 0.jpg | atelier stylize - -m $STYLE --quiet > b.jpg", in: folder)
      #expect(implied.status == 0 && implied.errors.isEmpty, "\(implied.errors)")
      #expect(try Picture.probe(folder.path + "/b.jpg").format == .jpeg)
    }
  }

  @Test("A model from standard input is inspected and converted")
  func models() throws {
    try Fixtures.withFolder { folder in
      let outcome = try shell(
        "cat $STYLE | atelier convert - -o - --format onnx | atelier inspect - --json", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("stylizedImage"), "\(outcome.output.prefix(300))")
      let folderModel = try shell(
        "cat $STYLE | atelier convert - -o - --format mlpackage", in: folder)
      #expect(folderModel.status == 2 && folderModel.errors.contains("is a folder"))
    }
  }

  @Test("Nothing on standard input, two dashes and URLs are refused in a sentence")
  func refused() throws {
    try Fixtures.withFolder { folder in
      for (command, sentence) in [
        ("atelier stylize - -m $STYLE -o a.png < /dev/null", "is empty, expected a file."),
        ("atelier sheet - - -o a.png < $STYLE", "'-' is given twice"),
        (
          "atelier stylize https://example.org/a.jpg -m $STYLE",
          "'https://example.org/a.jpg' is a URL, expected a file."
        ),
      ] {
        let outcome = try shell(command, in: folder)
        #expect(outcome.status != 0 && outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
      }
    }
  }

  @Test("Folders: subfolders, existing paintings, dry runs and names of folders")
  func folders() throws {
    try withPhotos(3) { folder in
      let made = try shell(
        """
        mkdir -p photos/sub && mv 0.jpg 1.jpg photos && mv 2.jpg photos/sub
        atelier stylize photos -m $STYLE -o out --dry-run && test ! -e out
        atelier stylize photos -m $STYLE -o out
        """, in: folder)
      #expect(made.status == 0, "\(made.errors)")
      #expect(made.output.contains("photos/0.jpg → out/0.jpg\n"), "\(made.output)")
      #expect(made.errors.contains("1 subfolder is left out ('photos/sub')"), "\(made.errors)")
      let more = try shell(
        "atelier stylize photos -m $STYLE -o out --recursive --skip-existing --json", in: folder)
      #expect(more.status == 0, "\(more.errors)")
      #expect(more.errors.contains("2 photos are skipped because the painting exists."))
      #expect(more.output.contains("\"out/sub/2.jpg\"") && !more.output.contains("out/0.jpg"))
      let again = try shell(
        "atelier stylize photos -m $STYLE -o out -r --skip-existing", in: folder)
      #expect(again.status == 0 && again.output.isEmpty, "\(again.output)")
      let named = try shell("atelier stylize photos -m $STYLE -o out.jpg", in: folder)
      #expect(named.status == 1 && named.errors.contains("-o 'out.jpg' names one picture"))
      #expect(!FileManager.default.fileExists(atPath: folder.path + "/out.jpg"))
    }
  }

  @Test("An animated GIF is painted picture by picture, with its timing")
  func animation() throws {
    try Fixtures.withFolder { folder in
      let pictures: [Picture] = try (0..<12).map { index in
        try Picture(width: 32, height: 24, pixels: (0..<2304).map { UInt8(($0 + index * 9) % 250) })
      }
      let delays: [Int] = (0..<12).map { 40 + 10 * $0 }
      let file = folder.appendingPathComponent("moving.gif")
      try Animation(pictures: pictures, delays: delays, loopCount: 0)
        .encoded(as: .gif, PictureEncoding()).write(to: file)
      let outcome = try shell("atelier stylize moving.gif -m $STYLE -o out.gif", in: folder)
      #expect(outcome.status == 0 && outcome.output.contains("12 pictures"), "\(outcome.errors)")
      let painted = try Animation(contentsOfFile: folder.path + "/out.gif")
      #expect(painted.pictures.count == 12 && painted.delays == delays)
      let still = try shell("atelier stylize moving.gif -m $STYLE -o out.jpg", in: folder)
      #expect(still.status == 1 && still.errors.contains("is an animation of 12 pictures"))
    }
  }

  @Test("A photo of 16 bits gives a painting of 16 bits with more than 256 levels")
  func deep() throws {
    try Fixtures.withFolder { folder in
      let photo = try DeepPicture(width: 64, height: 64) { target in
        for index in target.indices { target[index] = UInt16(index / 3 % 4096 * 16) }
      }
      let file = folder.appendingPathComponent("deep.tiff")
      try photo.encoded(as: .tiff, PictureEncoding()).write(to: file)
      let outcome = try shell("atelier stylize deep.tiff -m $STYLE -o out.tiff", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try Picture.probe(folder.path + "/out.tiff").bitsPerComponent == 16)
      let painting = try DeepPicture(contentsOfFile: folder.path + "/out.tiff")
      #expect(painting.withComponents { Set($0).count } > 1000)
      // The same painting with 8 bits differs by rounding only.
      let plain = try shell(
        "atelier stylize deep.tiff -m $STYLE -o out.png --format png", in: folder)
      #expect(plain.status == 0, "\(plain.errors)")
    }
  }
}
