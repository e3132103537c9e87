import Files
import Foundation
import Imaging
import Platform
import Service

/// Drawings that stand for something: a few examples teach an updatable model, which then answers.
///
/// What was taught is kept: the examples as pictures with their labels, and the model that learned them.
/// Taking an example back teaches a fresh model with those that are left.
///
/// `@unchecked Sendable`: the state is touched under the lock only.
final class DrawingClass: @unchecked Sendable {
  /// An example.
  struct Example: Codable, Sendable {
    let id: String
    let label: String
  }

  /// What a drawing is taken for.
  struct Answer: Codable, Sendable {
    let label: String
    let probabilities: [String: Double]
  }

  private struct State {
    var examples: [Example] = []
    var isLoaded = false
  }

  private let home: URL
  private let pages: Pages
  private let own: any Bench
  private let foreign: any Bench
  private let state = Locked(State())
  private static let mostExamples = 600
  /// The longer side of a drawing that is kept, in pixels.
  private static let longestSide = 512

  /// A class whose examples are not loaded yet.
  ///
  /// - Parameters:
  ///   - own: where the project's own model works.
  ///   - foreign: where one works that was given.
  init(_ data: URL, pages: Pages, own: any Bench, foreign: any Bench) {
    home = data.appendingPathComponent("drawings", isDirectory: true)
    self.pages = pages
    self.own = own
    self.foreign = foreign
  }

  private var list: URL { home.appendingPathComponent("examples.json") }
  private var base: URL { home.appendingPathComponent("base.mlmodel") }
  private var taught: URL { home.appendingPathComponent("taught.mlmodel") }
  private func picture(_ id: String) -> URL { home.appendingPathComponent("\(id).png") }

  /// The examples, oldest first.
  var examples: [Example] {
    get throws { try state.withLock { try loaded(&$0).examples } }
  }

  /// Whether the project's own embedding answers, or a model that was given.
  var isOwn: Bool { !FileManager.default.fileExists(atPath: base.path) }
  private var bench: any Bench { isOwn ? own : foreign }

  /// An example's picture.
  func data(_ id: String) throws -> Data {
    guard try examples.contains(where: { $0.id == id }),
      let data = try? Data(contentsOf: picture(id))
    else { throw HTTPError.missing("drawing of that name") }
    return data
  }

  /// Teaches a drawing.
  func teach(_ drawing: Data, _ label: String) throws -> Example {
    let whole = try Lesson.decoded(drawing)
    // All drawings together are learnt anew when one is taken back.
    let picture = try whole.scaled(
      to: whole.size.scaled(toLongerSide: min(Self.longestSide, whole.size.longerSide)))
    return try state.withLock { state in
      try loaded(&state)
      guard state.examples.count < Self.mostExamples else {
        throw HTTPError(
          409, "too_many_examples",
          "\(Self.mostExamples) drawings are kept, which is the most. Remove some first.")
      }
      let example = Example(id: makeIdentifier("d"), label: label)
      let png = try picture.encoded(as: .png)
      try learn([(png, label)], start(state))
      try WholeFile.write(png, to: self.picture(example.id).path)
      state.examples.append(example)
      try save(state)
      return example
    }
  }

  /// Takes an example back; nil takes all.
  func forget(_ id: String?) throws {
    try state.withLock { state in
      try loaded(&state)
      let gone = state.examples.filter { id == nil || $0.id == id }
      guard id == nil || !gone.isEmpty else { throw HTTPError.missing("drawing of that name") }
      state.examples.removeAll { example in gone.contains { $0.id == example.id } }
      try relearn(&state)
      for example in gone { try? FileManager.default.removeItem(at: picture(example.id)) }
    }
  }

  /// Teaches another model what is known, from now on; nil goes back to the project's own.
  func use(_ model: URL?) throws {
    if let model {
      let canLearn = try waited { [foreign] in
        try await foreign.answer(.canLearn, about: model).value([String: Bool].self)
      }
      guard canLearn[""] == true else {
        throw HTTPError(
          422, "not_updatable",
          "The model does not learn labels from pictures: it is not updatable,"
            + " or takes something else.")
      }
    }
    try state.withLock { state in
      try loaded(&state)
      if let model {
        try WholeFile.write(try Data(contentsOf: model), to: base.path)
      } else {
        try? FileManager.default.removeItem(at: base)
      }
      try relearn(&state)
    }
  }

  /// What a drawing is taken for; nil where nothing was taught.
  func answer(_ drawing: Data) throws -> Answer? {
    let file: URL? = try state.withLock { state in
      try loaded(&state)
      return state.examples.isEmpty ? nil : try start(state)
    }
    guard let file else { return nil }
    return try waited { [bench] in
      try await bench.answer(.recognize, about: file, ["drawing": drawing]).value()
    }
  }

  /// The taught model's file.
  func modelFile() throws -> OpenFile {
    try state.withLock { state in
      try loaded(&state)
      return try OpenFile(start(state))
    }
  }

  // MARK: Learning

  /// The file of the model as it is now.
  private func start(_ state: State) throws -> URL {
    if !state.examples.isEmpty, FileManager.default.fileExists(atPath: taught.path) {
      return taught
    }
    if FileManager.default.fileExists(atPath: base.path) { return base }
    let own = home.appendingPathComponent("own.mlmodel")
    guard let bytes = pages.bytes("drawing.mlmodel") else {
      throw HTTPError.missing("drawing model")
    }
    if (try? Data(contentsOf: own)) != Data(bytes) {
      try WholeFile.write(Data(bytes), to: own.path)
    }
    return own
  }

  private func relearn(_ state: inout State) throws {
    try? FileManager.default.removeItem(at: taught)
    if !state.examples.isEmpty {
      try learn(
        state.examples.map { (try Data(contentsOf: picture($0.id)), $0.label) }, start(state))
    }
    try save(state)
  }

  @discardableResult
  private func loaded(_ state: inout State) throws -> State {
    guard !state.isLoaded else { return state }
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    if let data = try? Data(contentsOf: list) {
      state.examples = (try? JSONDecoder().decode([Example].self, from: data)) ?? []
    }
    state.isLoaded = true
    return state
  }

  private func save(_ state: State) throws {
    try WholeFile.write(try JSONEncoder().encode(state.examples), to: list.path)
  }

  /// Teaches a model's file, and keeps what it has become.
  private func learn(_ examples: [(Data, String)], _ file: URL) throws {
    var files: [String: Data] = [:]
    for (index, example) in examples.enumerated() { files["\(index)"] = example.0 }
    let question = BenchQuestion.learn(labels: examples.map(\.1), target: taught)
    _ = try waited { [bench, files] in
      try await bench.answer(question, about: file, files)
    }
  }
}

/// `/v1/updates`.
extension Studio {
  private struct Lesson: Encodable {
    let isOwn: Bool
    let examples: [DrawingClass.Example]
  }

  func addDrawing(to router: inout Router) {
    let lesson = { @Sendable [self] in
      try HTTPResponse.json(Lesson(isOwn: drawings.isOwn, examples: try drawings.examples))
    }
    router.add("GET", "/v1/updates") { _, _ in try await offload { try lesson() } }
    router.add("DELETE", "/v1/updates") { [self] _, _ in
      try await offload { [drawings] in try drawings.forget(nil) }
      return .done
    }
    router.add("POST", "/v1/updates/examples", limit: 1 << 20) { [self] request, _ in
      let fields = try Fields(request)
      guard let label = fields.text("label"), label.count <= 40, !label.contains(where: \.isNewline)
      else { throw HTTPError(400, "bad_field", "'label' is missing, or longer than 40 letters.") }
      let drawing = try drawing(fields)
      let example = try await quick.run(Self.turn(request.head)) { [drawings] in
        try await offload { try drawings.teach(drawing, label) }
      }
      return try .json(example, status: 201)
    }
    router.add("GET", "/v1/updates/examples/{id}") { [self] _, parts in
      HTTPResponse(type: "image/png", try drawings.data(parts["id"] ?? ""))
    }
    router.add("DELETE", "/v1/updates/examples/{id}") { [self] _, parts in
      try await offload { [drawings] in try drawings.forget(parts["id"] ?? "") }
      return .done
    }
    router.add("POST", "/v1/updates/predict", limit: 1 << 20) { [self] request, _ in
      let drawing = try drawing(try Fields(request))
      let answer = try await quick.run(Self.turn(request.head)) { [drawings] in
        try await offload { try drawings.answer(drawing) }
      }
      guard let answer else {
        throw HTTPError(409, "nothing_taught", "Nothing was taught yet, so nothing is known.")
      }
      return try .json(answer)
    }
    router.add("GET", "/v1/updates/model") { [self] _, _ in
      let file = try await offload { [drawings] in try drawings.modelFile() }
      return HTTPResponse(
        200, headers: [("Content-Type", "application/octet-stream")], body: .file(file))
    }
    router.add("POST", "/v1/updates/base", limit: 4096) { [self] request, _ in
      let model = try Fields(request).text("model")
      let file = try model.map { try models.entry($0).file }
      try await offload { [drawings] in try drawings.use(file) }
      return try lesson()
    }
  }

  private func drawing(_ fields: Fields) throws -> Data {
    guard let data = fields.file("drawing"), !data.isEmpty else {
      throw HTTPError(
        400, "no_drawing", "The body is empty: send the drawing as PNG, white on black.")
    }
    return data
  }
}
