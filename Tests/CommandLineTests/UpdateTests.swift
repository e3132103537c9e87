import Foundation
import Imaging
import ModelFormat
import Testing

@Suite("atelier update", .enabled(if: Program.isBuilt && Fixtures.areAvailable), .serialized)
struct UpdateTests {
  private static let drawings = Fixtures.shared.appendingPathComponent("models/updatable-drawing")
  private static let model: String = drawings.appendingPathComponent(
    "UpdatableDrawingClassifier.mlmodel"
  ).path

  /// Writes the first drawings of a class as `FOLDER/NAME/0.png`, ….
  private func write(_ name: String, count: Int, into folder: URL) throws {
    let target: URL = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let bytes: Data = try Data(
      contentsOf: Self.drawings.appendingPathComponent("\(name)1000.bin"))
    for index in 0..<count {
      let pixels: [UInt8] = bytes[index * 784..<(index + 1) * 784].flatMap { [$0, $0, $0] }
      try Picture(width: 28, height: 28, pixels: pixels).write(
        toFile: target.appendingPathComponent("\(index).png").path)
    }
  }

  @Test(
    "A folder for each label trains the drawing classifier, and predict recognises the labels")
  func folder() throws {
    try Fixtures.withFolder { folder in
      for name in ["cats", "trains"] { try write(name, count: 3, into: folder) }
      let new: String = folder.appendingPathComponent("new.mlmodel").path
      let outcome = try Program.run("update", Self.model, "--examples", folder.path, "-o", new)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.hasPrefix("\(new): learned 6 examples, 2 labels, in "))
      #expect(outcome.errors == "epoch 1/1\n")
      let seen: String = folder.appendingPathComponent("trains/1.png").path
      let before = try Program.run("predict", Self.model, "-i", "drawing=\(seen)")
      #expect(before.output.contains("\"label\":\"unknown\""))
      let after = try Program.run("predict", new, "-i", "drawing=\(seen)")
      #expect(after.output.contains("\"label\":\"trains\""), "\(after.output)")
    }
  }

  @Test("The result as JSON has what the model learned")
  func json() throws {
    try Fixtures.withFolder { folder in
      for name in ["cats", "trains"] { try write(name, count: 3, into: folder) }
      let new: String = folder.appendingPathComponent("new.mlmodel").path
      let outcome = try Program.run(
        "update", Self.model, "--examples", folder.path, "-o", new, "--json")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let report = try #require(
        JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
      #expect(report["model"] as? String == new && report["examples"] as? Int == 6)
      #expect(report["labels"] as? Int == 2 && report["seconds"] as? Double != nil)
      // A nearest-neighbour classifier has no loss.
      #expect(report["firstLoss"] == nil && report["lastLoss"] == nil)
    }
  }

  @Test("A table whose header names the features also trains the model")
  func table() throws {
    try Fixtures.withFolder { folder in
      for name in ["cats", "trains"] { try write(name, count: 1, into: folder) }
      let table: URL = folder.appendingPathComponent("examples.csv")
      try Data("drawing,\"label\"\ncats/0.png,\"a \"\"cat\"\", drawn\"\ntrains/0.png,train\n".utf8)
        .write(to: table)
      let new: String = folder.appendingPathComponent("new.mlmodelc").path
      let outcome = try Program.run("update", Self.model, "-e", table.path, "-o", new, "--k", "1")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let after = try Program.run(
        "predict", new, "-i", "drawing=\(folder.path)/cats/0.png")
      #expect(after.output.contains("\"label\":\"a \\\"cat\\\", drawn\""), "\(after.output)")
    }
  }

  @Test("Invalid examples give a one-sentence error")
  func refused() throws {
    try Fixtures.withFolder { folder in
      let new: String = folder.appendingPathComponent("new.mlmodel").path
      func errors(_ arguments: [String]) throws -> String {
        let outcome = try Program.run(["update"] + arguments)
        #expect(outcome.status != 0)
        return outcome.errors
      }
      #expect(
        try errors([Self.model, "-e", folder.path + "/none", "-o", new])
          == "atelier update: Examples '\(folder.path)/none': there is no such folder or table. Check the"
          + " path.\n")
      #expect(
        try errors([Self.model, "-e", folder.path, "-o", new])
          == "atelier update: Folder '\(folder.path)' has no examples: expected a folder for each label"
          + " with pictures in it.\n")
      #expect(
        try errors([Self.model, "-e", folder.path, "-o", new, "--k", "2000"])
          == "atelier update: The parameter 'numberOfNeighbors' is 2000; the model allows 1 to 1000.\n"
      )
      #expect(
        try errors([Fixtures.digits.path, "-e", folder.path, "-o", new])
          == "atelier update: Model 'mnistCNN.mlmodel' is not updatable: its author did not mark it"
          + " as such.\n")
      let table: URL = folder.appendingPathComponent("bad.csv")
      try Data("drawing\nx.png\n".utf8).write(to: table)
      #expect(
        try errors([Self.model, "-e", table.path, "-o", new])
          == "atelier update: Table '\(table.path)' has no column 'label'; the model learns from"
          + " 'drawing', 'label', and the header names 'drawing'.\n")
      try Data("drawing,label\nx.png\n".utf8).write(to: table)
      #expect(
        try errors([Self.model, "-e", table.path, "-o", new])
          == "atelier update: Table '\(table.path)': row 1 has 1 cells, but the header names 2"
          + " columns.\n")
      #expect(!FileManager.default.fileExists(atPath: new))
    }
  }
}
