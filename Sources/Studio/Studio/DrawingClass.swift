import CoreGraphics
import CoreML
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
    var model: MLModel?
  }

  private let home: URL
  private let pages: Pages
  private let state = Locked(State())
  private static let mostExamples = 600

  /// A class whose examples are not loaded yet.
  init(_ data: URL, pages: Pages) {
    home = data.appendingPathComponent("drawings", isDirectory: true)
    self.pages = pages
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

  /// An example's picture.
  func data(_ id: String) throws -> Data {
    guard try examples.contains(where: { $0.id == id }),
      let data = try? Data(contentsOf: picture(id))
    else { throw HTTPError.missing("drawing of that name") }
    return data
  }

  /// Teaches a drawing.
  func teach(_ drawing: Data, _ label: String) throws -> Example {
    let picture = try decoded(drawing)
    return try state.withLock { state in
      try loaded(&state)
      guard state.examples.count < Self.mostExamples else {
        throw HTTPError(
          409, "too_many_examples",
          "\(Self.mostExamples) drawings are kept, which is the most. Remove some first.")
      }
      let example = Example(id: makeIdentifier("d"), label: label)
      let model = try Self.update(start(state), with: [(picture, label)])
      try write(model)
      try WholeFile.write(try picture.encoded(as: .png), to: self.picture(example.id).path)
      state.examples.append(example)
      state.model = model
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
      let description = try MLModel(contentsOf: model).modelDescription
      let inputs = description.trainingInputDescriptionsByName.values
      guard description.isUpdatable, inputs.contains(where: { $0.type == .image }),
        inputs.contains(where: { $0.type == .string })
      else {
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
      state.model = nil
      try relearn(&state)
    }
  }

  /// What a drawing is taken for; nil where nothing was taught.
  func answer(_ drawing: Data) throws -> Answer? {
    let picture = try decoded(drawing)
    let (model, isEmpty) = try state.withLock { state in
      try loaded(&state)
      if state.model == nil { state.model = try MLModel(contentsOf: start(state)) }
      return (state.model, state.examples.isEmpty)
    }
    guard let model, !isEmpty else { return nil }
    let description = model.modelDescription
    guard
      let input = description.inputDescriptionsByName.values.first(where: { $0.type == .image }),
      let label = description.predictedFeatureName
    else { return nil }
    let result = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: [input.name: try Self.value(picture, input)]))
    var probabilities: [String: Double] = [:]
    if let name = description.predictedProbabilitiesName {
      for (key, value) in result.featureValue(for: name)?.dictionaryValue ?? [:] {
        probabilities["\(key.base)"] = value.doubleValue
      }
    }
    return Answer(
      label: result.featureValue(for: label)?.stringValue ?? "", probabilities: probabilities)
  }

  /// The taught model's bytes.
  func modelData() throws -> Data {
    try state.withLock { state in
      try loaded(&state)
      return try Data(contentsOf: start(state))
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
    state.model = nil
    if !state.examples.isEmpty {
      let pictures = try state.examples.map { example in
        (try decoded(try Data(contentsOf: picture(example.id))), example.label)
      }
      let model = try Self.update(start(state), with: pictures)
      try write(model)
      state.model = model
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

  private func write(_ model: MLModel) throws {
    guard let writable = model as? any MLModel & MLWritable else {
      throw HTTPError(500, "failed", "The taught model cannot be written.")
    }
    try writable.write(to: taught)
  }

  private func decoded(_ drawing: Data) throws -> Picture {
    let header = try Picture.probe(data: drawing, name: "the drawing")
    guard header.width <= 4096, header.height <= 4096 else {
      throw HTTPError(413, "too_many_pixels", "A drawing has at most 4096 × 4096 pixels.")
    }
    return try Picture(data: drawing, name: "the drawing", pixelLimit: 1 << 24).withoutAlpha
  }

  private static func value(
    _ picture: Picture, _ feature: MLFeatureDescription
  ) throws -> MLFeatureValue {
    guard let constraint = feature.imageConstraint else {
      throw HTTPError(422, "model", "The model takes no picture.")
    }
    return MLFeatureValue(
      pixelBuffer: try picture.pixelBuffer(
        format: constraint.pixelFormatType, fittedToWidth: constraint.pixelsWide,
        height: constraint.pixelsHigh, mode: .scaleFill))
  }

  /// What the update's queue leaves for the thread that waits.
  private final class Outcome: @unchecked Sendable {
    var model: MLModel?
    var error: (any Error)?
  }

  /// Teaches a model's file examples, as an app would: with `MLUpdateTask`.
  private static func update(_ file: URL, with examples: [(Picture, String)]) throws -> MLModel {
    let description = try MLModel(contentsOf: file).modelDescription
    let inputs = description.trainingInputDescriptionsByName.values
    guard let drawing = inputs.first(where: { $0.type == .image }),
      let label = inputs.first(where: { $0.type == .string })
    else { throw HTTPError(422, "not_updatable", "The model does not learn labels from pictures.") }
    let batch = MLArrayBatchProvider(
      array: try examples.map { picture, word in
        try MLDictionaryFeatureProvider(dictionary: [
          drawing.name: try value(picture, drawing), label.name: MLFeatureValue(string: word),
        ])
      })
    let outcome = Outcome()
    let done = DispatchSemaphore(value: 0)
    let task = try MLUpdateTask(
      forModelAt: file, trainingData: batch, configuration: nil,
      completionHandler: { context in
        outcome.error = context.task.error
        outcome.model = context.model
        done.signal()
      })
    task.resume()
    done.wait()
    if let error = outcome.error { throw error }
    guard let model = outcome.model else { throw HTTPError(500, "failed", "Nothing was learned.") }
    return model
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
      let example = try await quick.run(Self.client(request.head)) { [drawings] in
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
      let answer = try await quick.run(Self.client(request.head)) { [drawings] in
        try await offload { try drawings.answer(drawing) }
      }
      guard let answer else {
        throw HTTPError(409, "nothing_taught", "Nothing was taught yet, so nothing is known.")
      }
      return try .json(answer)
    }
    router.add("GET", "/v1/updates/model") { [self] _, _ in
      HTTPResponse(
        type: "application/octet-stream",
        try await offload { [drawings] in try drawings.modelData() })
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
