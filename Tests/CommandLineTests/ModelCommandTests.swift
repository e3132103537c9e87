import Foundation
import Testing

@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable), .serialized)
struct ModelCommandTests {
  @Test("A photo is painted at its own size and keeps its name")
  func stylize() throws {
    try Fixtures.withFolder { folder in
      let painting: String = folder.appendingPathComponent("painted.png").path
      let outcome = try Program.run(
        "stylize", Fixtures.astronaut.path, "--model", Fixtures.styleBlue.path, "-o", painting,
        "--size", "200")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("(512 × 512) → \(painting) (200 × 200) in "))
      #expect(try Data(contentsOf: URL(fileURLWithPath: painting)).starts(with: [0x89, 0x50]))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["painted.png"])
    }
  }

  @Test(
    "A folder of photos is painted into a folder, and a damaged photo does not stop the remaining ones"
  )
  func folder() throws {
    try Fixtures.withFolder { folder in
      let (photos, paintings) = (folder.path + "/in", folder.path + "/out")
      try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: Fixtures.astronaut.path, toPath: photos + "/a.png")
      try Data("no picture".utf8).write(to: URL(fileURLWithPath: photos + "/b.jpg"))
      try Data("no picture".utf8).write(to: URL(fileURLWithPath: photos + "/notes.txt"))
      let outcome = try Program.run(
        "stylize", photos, "-m", Fixtures.starryNight.path, "-o", paintings, "--size", "96")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("b.jpg"))
      #expect(outcome.errors.contains("1 of 2 photos could not be painted."))
      #expect(try FileManager.default.contentsOfDirectory(atPath: paintings) == ["a.png"])
    }
  }

  @Test("Several photos give the same files as single runs, and are reported in order")
  func row() throws {
    try Fixtures.withFolder { folder in
      let (photos, paintings, alone) = (
        folder.path + "/in", folder.path + "/out", folder.path + "/alone"
      )
      for path in [photos, alone] {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      for name in ["a.png", "b.png", "d.png", "e.png"] {
        try FileManager.default.copyItem(
          atPath: Fixtures.astronaut.path, toPath: photos + "/" + name)
      }
      try Data("no picture".utf8).write(to: URL(fileURLWithPath: photos + "/c.jpg"))
      let words: [String] = ["-m", Fixtures.styleBlue.path, "--size", "128", "--no-tuning"]
      let outcome = try Program.run(["stylize", photos, "-o", paintings] + words)
      #expect(outcome.status == 1)
      let starts: [String] = outcome.output.split(separator: "\n").map {
        String($0.prefix { $0 != "(" })
      }
      #expect(
        starts == [
          "[1/5] \(photos)/a.png ", "[2/5] \(photos)/b.png ", "[4/5] \(photos)/d.png ",
          "[5/5] \(photos)/e.png ",
        ])
      for name in ["a.png", "e.png"] {
        let single = try Program.run(
          ["stylize", photos + "/" + name, "-o", alone + "/" + name] + words)
        #expect(single.status == 0, "\(single.errors)")
        #expect(
          FileManager.default.contentsEqual(
            atPath: alone + "/" + name, andPath: paintings + "/" + name))
      }
    }
  }

  @Test("An unwritable destination is an error for each photo")
  func unwritable() throws {
    try Fixtures.withFolder { folder in
      let photos: String = folder.path + "/in"
      try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
      // There are three photos. The second painting cannot be written, because a folder that is not empty has its path.
      for name in ["a.png", "b.png", "c.png"] {
        try FileManager.default.copyItem(
          atPath: Fixtures.astronaut.path, toPath: photos + "/" + name)
      }
      try FileManager.default.createDirectory(
        atPath: folder.path + "/out/b.png/full", withIntermediateDirectories: true)
      let outcome = try Program.run(
        "stylize", photos, "-m", Fixtures.styleBlue.path, "--size", "96", "-o",
        folder.path + "/out")
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("1 of 3 photos could not be painted."), "\(outcome.errors)")
      #expect(outcome.output.contains("[3/3] \(photos)/c.png "), "\(outcome.output)")
    }
  }

  @Test(
    "A JPEG is painted without libvips, which takes longer to load than the rest of the program")
  func lightStart() throws {
    try Fixtures.withFolder { folder in
      let photo: String = folder.path + "/photo.jpg"
      let first = try Program.run(
        "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "--size", "96", "-o",
        photo)
      #expect(first.status == 0, "\(first.errors)")
      func libraries(_ output: String) throws -> String {
        let outcome = try Program.run(
          ["stylize", photo, "-m", Fixtures.styleBlue.path, "-o", folder.path + "/" + output],
          environment: ["LD_DEBUG": "files"])
        #expect(outcome.status == 0)
        return outcome.errors
      }
      #expect(try !libraries("painting.jpg").contains("libvips"))
      #expect(try libraries("painting.webp").contains("libvips"))
    }
  }

  @Test("A photo is never overwritten, and an unknown format is refused before work starts")
  func refusedOutputs() throws {
    let over = try Program.run(
      "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "-o",
      Fixtures.astronaut.path)
    #expect(over.status == 1)
    #expect(over.errors.contains("would be overwritten"))
    let format = try Program.run(
      "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "-o", "/tmp/x.bmp")
    #expect(format.status == 1)
    #expect(format.errors.contains("expected a name that ends in .jpg"))
  }

  @Test("An interrupted painter leaves no files")
  func interrupted() throws {
    try Fixtures.withFolder { folder in
      let status: Int32 = try Program.run(
        [
          "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "-o",
          folder.path + "/big.png", "--size", "2500",
        ], interruptedAfter: 0.7)
      #expect(status == 130)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Test("The command inspect shows a model in each stage", arguments: ["model", "graph", "plan"])
  func inspect(stage: String) throws {
    let outcome = try Program.run("inspect", Fixtures.starryNight.path, "--stage", stage)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try Program.run(
      "inspect", Fixtures.starryNight.path, "--stage", stage, "--json")
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    switch stage {
    case "model":
      #expect(outcome.output.contains("5 × ResCropBlockLambda"))
      #expect((object?["weights"] as? [String: Any])?["count"] as? Int == 552_003)
    case "graph": #expect((object?["nodes"] as? [Any])?.isEmpty == false)
    default: #expect((object?["calls"] as? [Any])?.isEmpty == false)
    }
  }

  @Test("A benchmark reports median, minimum and maximum")
  func bench() throws {
    let outcome = try Program.run(
      "bench", Fixtures.digits.path, "--runs", "5", "--json", "--profile")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let median = try #require(object["medianMilliseconds"] as? Double)
    let minimum = try #require(object["minimumMilliseconds"] as? Double)
    let maximum = try #require(object["maximumMilliseconds"] as? Double)
    #expect(minimum <= median && median <= maximum && minimum > 0)
    #expect((object["layers"] as? [Any])?.isEmpty == false)
  }

  @Test("Invalid inputs of a prediction are named")
  func predictInputs() throws {
    let unknown = try Program.run("predict", Fixtures.styleBlue.path, "--input", "photo=x.png")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("the model has no input 'photo'; it has 'image'."))
    let missing = try Program.run("predict", Fixtures.styleBlue.path)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("the input 'image' is missing"))
  }

  @Test("A prediction writes images into a folder")
  func predict() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run(
        "predict", Fixtures.styleBlue.path, "--input", "image=\(Fixtures.astronaut.path)", "-o",
        folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      let picture = try #require((object as? [String: [String: Any]])?.values.first)
      #expect(picture["width"] as? Int == 512 && picture["height"] as? Int == 512)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }
}
