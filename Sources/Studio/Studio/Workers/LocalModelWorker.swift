import CoreGraphics
import CoreML
import Engine
import Film
import Foundation
import Imaging
import ModelFormat
import ModelTools
import Platform
import Service
import StyleTransfer
import Vision

/// Runs models in the current process.
final class LocalModelWorker: ModelWorker {
  private let models: OpenModels
  private let limit: PictureLimit
  private let seconds: Double
  private let units: MLComputeUnits
  private let batcher: PredictionBatcher?
  private let stylePainters = ArbitraryStylePainters()

  /// Creates a worker that takes its models from `models`.
  ///
  /// - Parameters:
  ///   - limit: The limit for decoding pictures.
  ///   - seconds: The time limit of a prediction, in seconds.
  ///   - units: The compute units of inferences.
  ///   - batch: The maximum number of inferences that are computed at once as one batch.
  init(
    _ models: OpenModels, _ limit: PictureLimit, seconds: Double, units: MLComputeUnits = .all,
    batch: Int = 1
  ) {
    self.models = models
    self.limit = limit
    self.seconds = seconds
    self.units = units
    batcher = batch > 1 ? PredictionBatcher(most: batch) : nil
  }

  func answer(
    _ request: ModelRequest, about file: URL, _ files: [String: Data],
    progress: @escaping @Sendable (Double) -> Void
  ) async throws -> ModelResponse {
    func picture(_ name: String) throws -> Data {
      guard let data = files[name] else { throw HTTPError.missing("file '\(name)'") }
      return data
    }
    switch request {
    case .paint(let order):
      return ModelResponse(try await paint(try picture("photo"), order, file, progress))
    case .film(let work): return try await film(work, file, progress)
    case .predict(let inputs):
      let stated = try JSONSerialization.jsonObject(with: inputs) as? [String: Any] ?? [:]
      return try await predict(stated, files, file)
    case .predictDocument:
      let object = try? JSONSerialization.jsonObject(with: try picture(ModelRequest.document))
      guard let inputs = (object as? [String: Any])?["inputs"] as? [String: Any] else {
        throw HTTPError.noInputs
      }
      return try await predict(inputs, [:], file)
    case .metadata(let name):
      return try await offload { [models, units] in
        try ModelResponse(
          ModelMetadata(name, models.model(file, units: units).modelDescription))
      }
    case .infer(let order):
      return try await infer(try picture(ModelRequest.document), order, file)
    case .unpack(let archive, let most):
      return try await offload {
        try PackageUpload.unpack(archive, to: file, most: most)
        return try ModelResponse(["": true])
      }
    case .kind: return try await offload { try ModelResponse(ModelStore.kind(of: file)) }
    case .details(let words): return try await offload { [self] in try details(words, file) }
    case .graph(let title): return try await offload { [self] in try graph(title, file) }
    case .profile(let title, let units):
      return try await offload { [self] in try profile(title, file, units) }
    case .classify(let units, let top):
      let photo = try picture("photo")
      return try await offload { [self] in
        try ModelResponse(
          classify(photo, by: models.model(file, units: units.units), top: top))
      }
    case .canLearn:
      return try await offload { try ModelResponse(["": DrawingTraining.canLearn(file)]) }
    case .learn(let labels, let target):
      let drawings = try labels.indices.map { try picture("\($0)") }
      return try await offload {
        try DrawingTraining.learn(Array(zip(drawings, labels)), from: file, into: target)
        return ModelResponse(json: Data())
      }
    case .recognize:
      let drawing = try picture("drawing")
      return try await offload { [self] in
        try ModelResponse(DrawingTraining.recognize(drawing, by: models.model(file, units: .all)))
      }
    }
  }

  /// How many inferences were computed together with others.
  var batchedCount: Int { batcher?.batchedCount ?? 0 }

  /// Closes the networks for arbitrary styles.
  func closeStyleNetworks() { stylePainters.closeNetworks() }

  // MARK: Painting

  /// Opens the network of an order, and returns a painter that paints any number of photos with it.
  func painter(_ order: PaintOrder, _ file: URL) throws -> Painter {
    if order.isPainting { return try stylePainters.painter(like: file, limit, order.units.units) }
    return try Painter(
      models.model(file, units: order.units.units, anySize: true), name: order.title)
  }

  private func paint(
    _ photo: Data, _ order: PaintOrder, _ file: URL,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> PaintedPicture {
    let (picture, painter): (Picture, SendableBox<Painter>) = try await offload { [self] in
      let painter = SendableBox(try self.painter(order, file))
      return (try limit.decode(photo), painter)
    }
    try Task.checkCancellation()
    progress(0)
    let side = order.longerSide.map { min($0, picture.size.longerSide) }
    let options = SendableBox(MLPredictionOptions())
    options.value.progress = progress
    let painting = try await limited(options.value) {
      try await painter.value.painting(
        of: picture, .wholePhoto(longerSide: side), options: options.value)
    }
    let colored: Picture = try await offload {
      let palette: Palette? =
        order.keepsNetworkColors ? nil : try Palette.ofStyle(withModel: file)
      return try palette?.applied(to: painting.picture) ?? painting.picture
    }
    return PaintedPicture(
      painting: colored,
      photo: try picture.scaled(to: painting.picture.size).withoutAlpha,
      paintedSize: painting.paintedSize)
  }

  private func film(
    _ work: FilmWork, _ file: URL, _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> ModelResponse {
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await offload { [self] in
        var style = FrameStyle(try painter(work.paint, file))
        if !work.paint.isPainting, !work.paint.keepsNetworkColors, !work.keepsColors {
          style.palette = try Palette.ofStyle(withModel: file)
        }
        style.strength = work.strength
        style.keepsColors = work.keepsColors
        var settings = FilmSettings()
        settings.longerSide = work.paint.longerSide
        settings.stability = work.stability
        settings.styleText = work.styleText
        let job = try FilmJob(
          work.film.path, to: work.target.path, style: style, settings: settings)
        let result: FilmResult = try job.run { now in
          progress(min(1, Double(now.done) / Double(max(1, work.frames))))
          return !isCancelled.withLock { $0 }
        }
        guard result.isWritten else { throw CancellationError() }
        return try ModelResponse(result.notes)
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  // MARK: Looking

  /// Classifies a photo with Vision. The most probable label is first.
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

  private func details(_ words: ModelWords, _ file: URL) throws -> ModelResponse {
    let description = try models.model(file, units: .all).modelDescription
    return try ModelResponse(
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
        422, "no_layers", "'\(title)' is not a neural network, so it has no layers.")
    }
    return found
  }

  private func graph(_ title: String, _ file: URL) throws -> ModelResponse {
    let (network, types) = try network(title, file, .all)
    var typed = network.graph
    try typed.inferTypes(from: types)
    return try ModelResponse(GraphListing(typed))
  }

  private func profile(_ title: String, _ file: URL, _ units: Units) throws -> ModelResponse {
    let (network, types) = try network(title, file, units.units)
    let plan = PlanListing(
      try network.plan(for: types, measuresNow: true).plan.wholeRun(),
      precision: network.options.precision,
      device: MLModel.computeDeviceText)
    let layers = try LayerProfile(network, inputTypes: types, runs: 5).calls
    return try ModelResponse(
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
  ) async throws -> ModelResponse {
    let stated = SendableBox(stated)
    let model = try await offload { [models] in try models.model(file, units: .all) }
    let inputs: SendableBox<MLDictionaryFeatureProvider> = try await offload { [self] in
      SendableBox(try features(stated.value, files, model))
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
    return try ModelResponse(
      Prediction(outputs: outputs, seconds: (ContinuousClock.now - start) / .seconds(1)))
  }

  /// Answers a request of the Open Inference Protocol.
  private func infer(
    _ body: Data, _ order: InferenceOrder, _ file: URL
  ) async throws -> ModelResponse {
    typealias Inputs = SendableBox<[String: MLFeatureValue]>
    let (message, model, inputs): (InferenceMessage, MLModel, Inputs) = try await offload {
      [models, limit, units] in
      let message = try InferenceMessage(body, headerLength: order.headerLength)
      let model = try models.model(file, units: units)
      let values = try FeatureTensors.inputs(message.inputs, of: model.modelDescription) {
        try limit.decode($0)
      }
      return (message, model, SendableBox(values))
    }
    let result = SendableBox(try await predict(inputs, with: model))
    return try await offload {
      let answer = try Self.answer(message, order, result.value, model)
      return ModelResponse(json: answer.json, binary: answer.binary)
    }
  }

  private func predict(
    _ inputs: SendableBox<[String: MLFeatureValue]>, with model: MLModel
  ) async throws -> any MLFeatureProvider {
    let options = MLPredictionOptions()
    let state = model.makeState()
    if let batcher, state.stateNames.isEmpty, batcher.takes(inputs.value, of: model) {
      return try await limited(options) {
        try await batcher.prediction(from: inputs, with: model, options).value
      }
    }
    let provider = try MLDictionaryFeatureProvider(dictionary: inputs.value)
    return try await limited(options) {
      state.stateNames.isEmpty
        ? try await model.prediction(from: provider, options: options)
        : try await model.prediction(from: provider, using: state, options: options)
    }
  }

  /// Encodes the outputs that a request asks for.
  private static func answer(
    _ message: InferenceMessage, _ order: InferenceOrder, _ result: any MLFeatureProvider,
    _ model: MLModel
  ) throws -> InferenceAnswer {
    let description = model.modelDescription
    var tensors: [InferenceTensor] = []
    for name in description.outputNames {
      guard let value = result.featureValue(for: name) else { continue }
      tensors += try FeatureTensors.outputs(
        value, name,
        labels: name == description.predictedProbabilitiesName ? description.classLabels : nil,
        wantsPixels: message.wantsPixels)
    }
    let wanted = try message.outputs.map { outputs in
      try outputs.map { output in
        guard let tensor = tensors.first(where: { $0.name == output.name }) else {
          throw HTTPError(
            400, "no_output",
            "The model has no output '\(output.name.prefix(60))'; it has"
              + " \(tensors.map(\.name).joined(separator: ", ")).")
        }
        return (tensor: tensor, isBinary: output.isBinary)
      }
    }
    return try InferenceAnswer(
      model: order.model, version: ModelMetadata.version, id: message.id,
      wanted ?? tensors.map { (tensor: $0, isBinary: message.prefersBinary) })
  }

  /// Runs a prediction with a time limit. Throws an error if the prediction takes longer than the limit.
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

  /// Converts the inputs of a prediction to feature values. A file without a name becomes the first picture input.
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

/// Paints in the style of any painting, if the two networks for arbitrary styles are fetched.
private final class ArbitraryStylePainters: Sendable {
  private struct State {
    var pair: (units: MLComputeUnits, networks: SendableBox<ArbitraryStyle>)?
    /// The styles computed from paintings. The least recently used style is first.
    var styles: [(file: URL, style: ArbitraryStyle.Style)] = []
  }

  private static let mostStyles = 64
  private let state = Locked(State())

  /// Computes the style of a painting's file, and returns a painter in that style.
  func painter(
    like file: URL, _ limit: PictureLimit, _ units: MLComputeUnits
  ) throws -> Painter {
    try state.withLock { state in
      if state.pair?.units != units { state.pair = (units, SendableBox(try Self.networks(units))) }
      guard let networks = state.pair?.networks.value else {
        throw HTTPError.missing("pair of networks")
      }
      let style =
        try state.styles.first { $0.file == file }?.style
        ?? networks.style(of: limit.decode(Data(contentsOf: file)))
      state.styles.removeAll { $0.file == file }
      state.styles.append((file, style))
      if state.styles.count > Self.mostStyles { state.styles.removeFirst() }
      // The photo's own style is mixed in only below full strength. The studio always paints at full strength, so any
      // photo will do, even one of one pixel.
      return try networks.painter(in: style, of: Picture(width: 1, height: 1) { _ in })
    }
  }

  /// Closes the networks. The next painting opens them again.
  func closeNetworks() { state.withLock { $0.pair = nil } }

  private static func networks(_ units: MLComputeUnits) throws -> ArbitraryStyle {
    guard FetchableModel.arbitraryStyle.isFetched() else {
      throw HTTPError(
        409, "no_pair",
        "The two networks for arbitrary styles are not fetched yet. Run `atelier fetch"
          + " arbitrary-style`.")
    }
    let files = FetchableModel.arbitraryStyle.files()
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    return try ArbitraryStyle(
      predictor: files[1], transformer: files[0], configuration: configuration)
  }
}
