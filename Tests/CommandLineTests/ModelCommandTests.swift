import Foundation
import Testing

@Suite(.enabled(if: Program.isBuilt && Fixtures.areThere), .serialized)
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

  @Test("A folder of photos is painted into a folder, and a broken one does not stop the others")
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

  @Test("A photo is never painted over, and an unknown format is refused before work starts")
  func refusedOutputs() throws {
    let over = try Program.run(
      "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "-o",
      Fixtures.astronaut.path)
    #expect(over.status == 1)
    #expect(over.errors.contains("would be painted over"))
    let format = try Program.run(
      "stylize", Fixtures.astronaut.path, "-m", Fixtures.styleBlue.path, "-o", "/tmp/x.bmp")
    #expect(format.status == 1)
    #expect(format.errors.contains("expected a name that ends in .jpg"))
  }

  @Test("An interrupted painter leaves nothing")
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

  @Test("A model is shown at each stage", arguments: ["model", "graph", "plan"])
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

  @Test("A benchmark gives median, minimum and maximum")
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

  @Test("Wrong inputs of a prediction are named")
  func predictInputs() throws {
    let unknown = try Program.run("predict", Fixtures.styleBlue.path, "--input", "photo=x.png")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("the model has no input 'photo'; it has 'image'."))
    let missing = try Program.run("predict", Fixtures.styleBlue.path)
    #expect(missing.status == 2)
    #expect(missing.errors.contains("the input 'image' is missing"))
  }

  @Test("A prediction writes pictures into a folder")
  func predict() throws {
    try Fixtures.withFolder { folder in
      let outcome = try Program.run(
        "predict", Fixtures.styleBlue.path, "--input", "image=\(Fixtures.astronaut.path)", "-o",
        folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
      #expect((object as? [String: [String: String]])?.values.first?["size"] == "512x512")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }
}
