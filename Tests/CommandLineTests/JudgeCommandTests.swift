import Foundation
import Imaging
import Testing

/// Tests `atelier judge` and blind sheets on the command line.
@Suite(.enabled(if: Program.isBuilt))
struct JudgeCommandTests {
  private func picture(_ value: UInt8, at file: URL) throws {
    let pixels: [UInt8] = (0..<5760).map { (index: Int) -> UInt8 in
      UInt8((index / 7 + Int(value)) % 256)
    }
    try Picture(width: 48, height: 40, pixels: pixels).write(toFile: file.path)
  }

  @Test("Without VGG-16 the message names the command that fetches it")
  func notFetched() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("one.png")
      try picture(1, at: file)
      let outcome = try Program.run(
        ["judge", file.path, "--photo", file.path, "--painting", file.path],
        environment: ["XDG_CACHE_HOME": folder.path])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Run `atelier fetch vgg16` first."), "\(outcome.errors)")
    }
  }

  @Test("There must be a photo for each painted picture")
  func photoCount() throws {
    let outcome = try Program.run(
      "judge", "a.png", "b.png", "c.png", "--photo", "a.jpg", "--photo", "b.jpg", "--painting",
      "s.jpg")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("--photo is given 2 times for 3 painted pictures"))
  }

  @Test("A blind sheet shows numbers in the order of the seed, and its key names the files")
  func blindSheet() throws {
    try Fixtures.withFolder { folder in
      let files: [String] = try (0..<6).map { index in
        let file: URL = folder.appendingPathComponent("name\(index).png")
        try picture(UInt8(index * 40), at: file)
        return file.path
      }
      func key(_ name: String, _ options: [String]) throws -> [String] {
        let sheet: String = folder.path + "/\(name).png"
        let outcome = try Program.run(["sheet"] + files + ["--blind", "-o", sheet] + options)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\(name)-key.tsv"))
        let text = try String(contentsOfFile: folder.path + "/\(name)-key.tsv", encoding: .utf8)
        var lines: [String] = text.split(separator: "\n").map(String.init)
        #expect(lines.removeFirst() == "number\tfile")
        #expect(lines.map { $0.prefix { $0 != "\t" } } == ["1", "2", "3", "4", "5", "6"])
        return lines.map { String($0.drop { $0 != "\t" }.dropFirst()) }
      }
      let first: [String] = try key("first", ["--seed", "7"])
      #expect(first.sorted() == files && first != files)
      #expect(try key("again", ["--seed", "7"]) == first)
      #expect(try key("other", ["--seed", "8"]) != first)

      // The blind sheet equals a plain sheet in which the numbers are given as names.
      let named: [String] = first.enumerated().map { "\($1)=\($0 + 1)" }
      let plain: String = folder.path + "/plain.png"
      #expect(try Program.run(["sheet"] + named + ["-o", plain]).status == 0)
      #expect(
        try Picture(contentsOfFile: plain)
          == Picture(contentsOfFile: folder.path + "/first.png"))
    }
  }

  @Test("--seed without --blind, and --blind without labels, are refused")
  func blindOptions() throws {
    for (options, sentence) in [
      (["--seed", "1"], "--seed belongs to --blind"), (["--blind", "--no-labels"], "--no-labels"),
    ] {
      let outcome = try Program.run(["sheet", "a.png", "-o", "b.png"] + options)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }
}
