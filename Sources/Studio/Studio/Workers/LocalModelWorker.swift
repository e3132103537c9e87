import CoreGraphics
import CoreML
import Engine
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Platform
import Service
import StyleTransfer
import Vision

/// A bench in this process.
final class ModelBench: Bench {
  private let models: OpenModels
  private let limit: PictureLimit
  private let seconds: Double
  private let likenesses = Likenesses()

  /// A bench for models that stay open.
  ///
  /// - Parameters:
  ///   - limit: the pictures that are decoded.
  ///   - seconds: the most time that a network may take.
  init(_ models: OpenModels, _ limit: PictureLimit, seconds: Double) {
    self.models = models
    self.limit = limit
    self.seconds = seconds
  }

  func answer(
    _ question: BenchQuestion, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> BenchAnswer {
    func picture(_ name: String) throws -> Data {
      guard let data = files[name] else { throw HTTPError.missing("file '\(name)'") }
      return data
    }
    switch question {
    case .paint(let order):
      return BenchAnswer(try await paint(try picture("photo"), order, file, progress))
    case .predict(let inputs):
      let stated = try JSONSerialization.jsonObject(with: inputs) as? [String: Any] ?? [:]
      return try await predict(stated, files, file)
    case .predictDocument:
      let object = try? JSONSerialization.jsonObject(with: try picture(BenchQuestion.document))
      guard let inputs = (object as? [String: Any])?["inputs"] as? [String: Any] else {
        throw HTTPError.noInputs
      }
      return try await predict(inputs, [:], file)
    case .unpack(let archive, let most):
      return try await offload {
        try PackageUpload.unpack(archive, to: file, most: most)
        return try BenchAnswer(["": true])
      }
    case .kind: return try await offload { try BenchAnswer(ModelShelf.kind(of: file)) }
    case .details(let words): return try await offload { [self] in try details(words, file) }
    case .graph(let title): return try await offload { [self] in try graph(title, file) }
    case .profile(let title, let units):
      return try await offload { [self] in try profile(title, file, units) }
    case .classify(let units, let top):
      let photo = try picture("photo")
      return try await offload { [self] in
        try BenchAnswer(
          classify(photo, by: models.model(file, units: units.units), top: top))
      }
    case .canLearn: return try await offload { try BenchAnswer(["": Lesson.canLearn(file)]) }
    case .learn(let labels, let target):
      let drawings = try labels.indices.map { try picture("\($0)") }
      return try await offload {
        try Lesson.learn(Array(zip(drawings, labels)), from: file, into: target)
        return BenchAnswer(json: Data())
      }
    case .recognize:
      let drawing = try picture("drawing")
      return try await offload { [self] in
        try BenchAnswer(Lesson.recognize(drawing, by: models.model(file, units: .all)))
      }
    }
  }

  /// Forgets what is kept between paintings in the style of any painting.
  func rest() { likenesses.rest() }

  // MARK: Painting

  /// A painter for many photos of one order.
  func painter(_ order: PaintOrder, _ file: URL) throws -> Painter {
    if order.isLikePainting { return try likenesses.painter(like: file, limit, order.units.units) }
    return try Painter(
      models.model(file, units: order.units.units, anySize: true), name: order.title)
  }

  private func paint(
    _ photo: Data, _ order: PaintOrder, _ file: URL,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> PaintedPicture {
    let (picture, painter): (Picture, Handed<Painter>) = try await offload { [self] in
      let painter = Handed(try self.painter(order, file))
      return (try limit.decode(photo), painter)
    }
    try Task.checkCancellation()
    progress(0)
    let side = order.longerSide.map { min($0, picture.size.longerSide) }
    let options = Handed(MLPredictionOptions())
    options.value.progress = progress
    let painting = try await limited(options.value) {
      try await painter.value.painting(
        of: picture, .wholePhoto(longerSide: side), options: options.value)
    }
    return PaintedPicture(
      painting: painting.picture,
      photo: try picture.scaled(to: painting.picture.size).withoutAlpha,
      paintedSize: painting.paintedSize)
  }

  // MARK: Looking

  /// What a photo shows, the likeliest first, as Vision tells.
  private func classify(_ photo: Data, by model: MLModel, top: Int) throws -> [Guess] {
    let picture = try limit.decode(photo).withoutAlpha
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    request.imageCropAndScaleOption = .centerCrop
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let observations = request.results as? [VNClassificationObservation] ?? []
    return observations.prefix(top).map {
      Guess(label: $0.identifier, probability: Double($0.confidence))
    }
  }

  // MARK: Models

  private struct ModelDetails: Encodable {
    let model: ModelWords
    let inputs: [FeatureForm]
    let outputs: [FeatureForm]
    let summary: ModelSummary
  }

  private struct Profile: Encodable {
    let threads: Int
    let precision: String
    let sessionBytes: Int
    let weightBytes: Int
    let milliseconds: Double
    let layers: [LayerProfile.Entry]
  }

  private func details(_ words: ModelWords, _ file: URL) throws -> BenchAnswer {
    let description = try models.model(file, units: .all).modelDescription
    return try BenchAnswer(
      ModelDetails(
        model: words,
        inputs: description.inputNames.compactMap {
          description.inputDescriptionsByName[$0].map(FeatureForm.init)
        },
        outputs: description.outputNames.compactMap {
          description.outputDescriptionsByName[$0].map(FeatureForm.init)
        },
        summary: ModelSummary(try ModelFile.open(file))))
  }

  private func network(
    _ title: String, _ file: URL, _ units: MLComputeUnits
  ) throws -> (Network, [TensorType]) {
    guard let found = try models.model(file, units: units).network(pictures: nil) else {
      throw HTTPError(
        422, "no_layers", "'\(title)' is no neural network, so it has no layers.")
    }
    return found
  }

  private func graph(_ title: String, _ file: URL) throws -> BenchAnswer {
    let (network, types) = try network(title, file, .all)
    var typed = network.graph
    try typed.inferTypes(from: types)
    return try BenchAnswer(GraphListing(typed))
  }

  private func profile(_ title: String, _ file: URL, _ units: Units) throws -> BenchAnswer {
    let (network, types) = try network(title, file, units.units)
    let plan = PlanListing(
      try network.plan(for: types).plan.wholeRun(), precision: network.options.precision,
      device: MLModel.computeDeviceText)
    let layers = try LayerProfile(network, inputTypes: types, runs: 5).calls
    return try BenchAnswer(
      Profile(
        threads: plan.threads, precision: plan.precision, sessionBytes: plan.sessionBytes,
        weightBytes: plan.weightBytes, milliseconds: layers.reduce(0) { $0 + $1.milliseconds },
        layers: layers))
  }

  // MARK: Predictions

  private struct Prediction: Encodable {
    let outputs: [String: FeatureAnswer]
    let seconds: Double
  }

  private func predict(
    _ stated: [String: Any], _ files: [String: Data], _ file: URL
  ) async throws -> BenchAnswer {
    let stated = Handed(stated)
    let model = try await offload { [models] in try models.model(file, units: .all) }
    let inputs: Handed<MLDictionaryFeatureProvider> = try await offload { [self] in
      Handed(try features(stated.value, files, model))
    }
    let options = MLPredictionOptions()
    let start = ContinuousClock.now
    let state = model.makeState()
    let result: any MLFeatureProvider = try await limited(options) {
      state.stateNames.isEmpty
        ? try await model.prediction(from: inputs.value, options: options)
        : try await model.prediction(from: inputs.value, using: state, options: options)
    }
    var outputs: [String: FeatureAnswer] = [:]
    for name in result.featureNames {
      outputs[name] = try result.featureValue(for: name).map { try FeatureAnswer($0) }
    }
    return try BenchAnswer(
      Prediction(outputs: outputs, seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  /// What took longer than it may is told as such.
  private func limited<Result>(
    _ options: MLPredictionOptions, _ work: () async throws -> Result
  ) async throws -> Result {
    options.timeLimit = seconds
    let start = ContinuousClock.now
    do {
      return try await work()
    } catch let error as MLModelError
      where error.code == .generic && ContinuousClock.now - start >= .seconds(seconds)
    {
      throw HTTPError(504, "too_slow", error.localizedDescription)
    }
  }

  /// The inputs of a prediction; a file without a name is the first picture.
  private func features(
    _ stated: [String: Any], _ files: [String: Data], _ model: MLModel
  ) throws -> MLDictionaryFeatureProvider {
    let features = model.modelDescription.inputDescriptionsByName
    let first = features.values.filter { $0.type == .image }.map(\.name).min()
    var values: [String: MLFeatureValue] = [:]
    for feature in features.values {
      values[feature.name] = try FeatureReading.value(
        stated[feature.name],
        file: files[feature.name] ?? (feature.name == first ? files[""] : nil),
        for: feature, decode: { try limit.decode($0) })
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }
}

/// Paints in the style of any painting, where the pair of networks for that is fetched.
private final class Likenesses: Sendable {
  private struct State {
    var pair: (units: MLComputeUnits, networks: Handed<ArbitraryStyle>)?
    /// Styles of paintings, those used last at the end.
    var styles: [(file: URL, style: ArbitraryStyle.Style)] = []
  }

  private static let mostStyles = 64
  private let state = Locked(State())

  /// A painter in the style of a painting's file.
  func painter(
    like file: URL, _ limit: PictureLimit, _ units: MLComputeUnits
  ) throws -> Painter {
    try state.withLock { state in
      if state.pair?.units != units { state.pair = (units, Handed(try Self.networks(units))) }
      guard let networks = state.pair?.networks.value else {
        throw HTTPError.missing("pair of networks")
      }
      let style =
        try state.styles.first { $0.file == file }?.style
        ?? networks.style(of: limit.decode(Data(contentsOf: file)))
      state.styles.removeAll { $0.file == file }
      state.styles.append((file, style))
      if state.styles.count > Self.mostStyles { state.styles.removeFirst() }
      // The photo counts below full strength only.
      return try networks.painter(in: style, of: Picture(width: 1, height: 1) { _ in })
    }
  }

  /// Closes the networks; the next painting opens them again.
  func rest() { state.withLock { $0.pair = nil } }

  private static func networks(_ units: MLComputeUnits) throws -> ArbitraryStyle {
    guard FetchableModel.arbitraryStyle.isFetched() else {
      throw HTTPError(
        409, "no_pair",
        "The two networks that paint in any painting's style are not fetched yet. Run"
          + " `atelier fetch arbitrary-style`.")
    }
    let files = FetchableModel.arbitraryStyle.files()
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    return try ArbitraryStyle(
      predictor: files[1], transformer: files[0], configuration: configuration)
  }
}
