import Foundation
import Imaging
import Testing

/// Tests the tutorial's learning app: it trains, saves, restarts and recognises.
@Suite(
  .serialized,
  .enabled(if: Program.isBuilt("Vibes") && Drawings.areAvailable))
struct UpdatableAppTests {
  @Test("Two emojis are trained in two runs and recognised in a third")
  func training() throws {
    try Fixtures.withFolder { folder in
      let app = try App(folder)
      #expect(try app.read(Drawings.cats[3]) == ["unknown"])
      try app.train("🐱", Drawings.cats[..<3])
      try app.train("🌈", Drawings.rainbows[..<3])
      let cats: [String] = try app.read(Drawings.cats[0], Drawings.cats[1], Drawings.cats[2])
      let rainbows: [String] = try app.read(Drawings.rainbows[0], Drawings.rainbows[1])
      #expect(cats == ["🐱", "🐱", "🐱"])
      #expect(rainbows == ["🌈", "🌈"])
    }
  }

  @Test("An app that is killed at any moment has its old model or its new one")
  func killing() throws {
    try Fixtures.withFolder { folder in
      let app = try App(folder)
      try app.train("🐱", Drawings.cats[..<3])
      // Measures the duration of a training run, in a separate home folder.
      let other = try App(folder.appendingPathComponent("other"))
      try other.train("🐱", Drawings.cats[..<3])
      let start = Date()
      try other.train("🌈", Drawings.rainbows[..<3])
      let duration: Double = Date().timeIntervalSince(start)

      var generator = SystemRandomNumberGenerator()
      var learned: Int = 0
      for run in 0..<20 {
        // The program needs most of its running time to start, and saves the model at the end. So half of the runs are
        // killed near the end.
        let moment = Double.random(in: (run % 2 == 0 ? 0 : 0.8)...1.05, using: &generator)
        let copy = try App(folder.appendingPathComponent("\(run)"), after: app)
        try copy.train("🌈", Drawings.rainbows[..<3], killedAfter: duration * moment)
        let answers: [String] = try copy.read(Drawings.cats[0], Drawings.rainbows[0])
        #expect(answers.first == "🐱", "killed after \(moment) of \(duration) s: \(answers)")
        if answers.last == "🌈" { learned += 1 }
        // After the program was killed, an uninterrupted training run still works.
        try copy.train("🌈", Drawings.rainbows[..<3])
        #expect(try copy.read(Drawings.cats[0], Drawings.rainbows[0]) == ["🐱", "🌈"])
      }
      print("killed 20 times in training runs of \(duration) s: \(learned) had finished")
    }
  }
}

/// An app with a separate application support folder.
private struct App {
  private let home: URL
  private let pictures: URL
  private let environment: [String: String]

  /// - Parameter other: an app whose files are copied into the new app, or nil for an app without files.
  init(_ folder: URL, after other: App? = nil) throws {
    home = folder.appendingPathComponent("home")
    pictures = folder.appendingPathComponent("pictures")
    try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
    if let other {
      try FileManager.default.copyItem(at: other.home, to: home)
    } else {
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    }
    environment = ["HOME": home.path, "XDG_DATA_HOME": home.path + "/data"]
  }

  /// Returns the app's predictions for drawings.
  func read(_ drawings: Picture...) throws -> [String] {
    let outcome = try Program.run(
      [Drawings.model.path, "read"] + files(drawings), environment: environment, program: "Vibes")
    try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// Trains with drawings. If `seconds` is given, kills the program after this time.
  func train(
    _ emoji: String, _ drawings: ArraySlice<Picture>, killedAfter seconds: Double? = nil
  ) throws {
    let words: [String] = try [Drawings.model.path, "teach", emoji] + files(Array(drawings))
    guard let seconds else {
      let outcome = try Program.run(words, environment: environment, program: "Vibes")
      try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
      return
    }
    _ = try Program.run(
      words, killedAfter: seconds, environment: environment, program: "Vibes")
  }

  private func files(_ drawings: [Picture]) throws -> [String] {
    try drawings.enumerated().map { index, drawing in
      let path: String = pictures.appendingPathComponent("\(index).png").path
      try drawing.write(toFile: path)
      return path
    }
  }
}

/// Drawings from Quick, Draw!, and Apple's updatable model for them.
private enum Drawings {
  static let folder: URL = Fixtures.shared.appendingPathComponent("models/updatable-drawing")
  static let model: URL = folder.appendingPathComponent("UpdatableDrawingClassifier.mlmodel")
  static let cats: [Picture] = (try? load("cats1000")) ?? []
  static let rainbows: [Picture] = (try? load("rainbows1000")) ?? []

  static var areAvailable: Bool { FileManager.default.fileExists(atPath: model.path) }

  private static func load(_ name: String) throws -> [Picture] {
    let bytes = try Data(contentsOf: folder.appendingPathComponent("\(name).bin"))
    return try (0..<4).map { index in
      try Picture(
        width: 28, height: 28,
        pixels: bytes[(index * 784)..<((index + 1) * 784)].flatMap { [$0, $0, $0] })
    }
  }
}
