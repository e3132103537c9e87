import Foundation
import Imaging
import Testing

/// The tutorial's app that learns: teach, save, start again, recognise.
@Suite(
  .serialized,
  .enabled(if: Program.isBuilt("Vibes") && Drawings.areThere))
struct TeachingTests {
  @Test("Two emojis are taught in two runs, and known in a third")
  func teaching() throws {
    try Fixtures.withFolder { folder in
      let app = try App(folder)
      #expect(try app.read(Drawings.cats[3]) == ["unknown"])
      try app.teach("🐱", Drawings.cats[..<3])
      try app.teach("🌈", Drawings.rainbows[..<3])
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
      try app.teach("🐱", Drawings.cats[..<3])
      // How long a lesson takes, in a home of its own.
      let other = try App(folder.appendingPathComponent("other"))
      try other.teach("🐱", Drawings.cats[..<3])
      let start = Date()
      try other.teach("🌈", Drawings.rainbows[..<3])
      let duration: Double = Date().timeIntervalSince(start)

      var generator = SystemRandomNumberGenerator()
      var learned: Int = 0
      for round in 0..<20 {
        // Most of a run is the start of the program; the saving stands at its end.
        let moment = Double.random(in: (round % 2 == 0 ? 0 : 0.8)...1.05, using: &generator)
        let pupil = try App(folder.appendingPathComponent("\(round)"), after: app)
        try pupil.teach("🌈", Drawings.rainbows[..<3], killedAfter: duration * moment)
        let answers: [String] = try pupil.read(Drawings.cats[0], Drawings.rainbows[0])
        #expect(answers.first == "🐱", "killed after \(moment) of \(duration) s: \(answers)")
        if answers.last == "🌈" { learned += 1 }
        // A lesson that nobody ends still works after that.
        try pupil.teach("🌈", Drawings.rainbows[..<3])
        #expect(try pupil.read(Drawings.cats[0], Drawings.rainbows[0]) == ["🐱", "🌈"])
      }
      print("killed 20 times in lessons of \(duration) s: \(learned) had learned")
    }
  }
}

/// The program with an application support folder of its own.
private struct App {
  private let home: URL
  private let pictures: URL
  private let environment: [String: String]

  /// - Parameter other: An app whose files are taken over; nil for a new one.
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

  /// What drawings mean to the app.
  func read(_ drawings: Picture...) throws -> [String] {
    let outcome = try Program.run(
      [Drawings.model.path, "read"] + files(drawings), environment: environment, program: "Vibes")
    try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// Teaches drawings; the program is killed after a time where one is given.
  func teach(
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

/// Drawings of Quick, Draw!, and Apple's model that learns them.
private enum Drawings {
  static let folder: URL = Fixtures.shared.appendingPathComponent("models/updatable-drawing")
  static let model: URL = folder.appendingPathComponent("UpdatableDrawingClassifier.mlmodel")
  static let cats: [Picture] = (try? load("cats1000")) ?? []
  static let rainbows: [Picture] = (try? load("rainbows1000")) ?? []

  static var areThere: Bool { FileManager.default.fileExists(atPath: model.path) }

  private static func load(_ name: String) throws -> [Picture] {
    let bytes = try Data(contentsOf: folder.appendingPathComponent("\(name).bin"))
    return try (0..<4).map { index in
      try Picture(
        width: 28, height: 28,
        pixels: bytes[(index * 784)..<((index + 1) * 784)].flatMap { [$0, $0, $0] })
    }
  }
}
