import Combine
import CoreGraphics
import CoreML
import Dispatch
import Imaging
import Platform
import StyleTransfer
import Testing

@testable import CreateML

/// Temporary images and a temporary session folder.
private struct Studio {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "createml-test-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
    try picture(90, 80) { x, y in (x + y) / 5 % 2 == 0 ? 30 : 220 }.write(toFile: style.path)
    for number in 0..<3 {
      try picture(60, 50) { x, y in x * (number + 1) + y }
        .write(toFile: contents.appendingPathComponent("\(number).png").path)
    }
    try StandInFeatures.write(to: folder.appendingPathComponent("features.mlmodel"))
  }

  var style: URL { folder.appendingPathComponent("style.png") }
  var contents: URL { folder.appendingPathComponent("photos", isDirectory: true) }
  var data: MLStyleTransfer.DataSource {
    .images(styleImage: style, contentDirectory: contents)
  }

  func picture(_ width: Int, _ height: Int, _ value: (Int, Int) -> Int) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for index in 0..<width * height {
        let level: Int = value(index % width, index / width)
        for channel in 0..<3 {
          pixels[index * 3 + channel] = UInt8(clamping: level + 10 * channel)
        }
      }
    }
  }

  /// Creates a session of three iterations with the stand-in for VGG-16.
  func session(_ directory: String = "session", iterations: Int = 3) throws
    -> MLTrainingSession<MLStyleTransfer>
  {
    let made = try MLStyleTransfer.makeTrainingSession(
      trainingData: data,
      parameters: .init(
        algorithm: .cnnLite, validation: .content(contents.appendingPathComponent("1.png")),
        maxIterations: iterations, textelDensity: 64),
      sessionParameters: parameters(directory))
    return withStandIn(made)
  }

  func parameters(_ directory: String) -> MLTrainingSessionParameters {
    MLTrainingSessionParameters(
      sessionDirectory: folder.appendingPathComponent(directory, isDirectory: true),
      reportInterval: 1, checkpointInterval: 2)
  }

  func withStandIn(_ session: MLTrainingSession<MLStyleTransfer>)
    -> MLTrainingSession<MLStyleTransfer>
  {
    var plan: SessionPlan = session.plan
    plan.features = folder.appendingPathComponent("features.mlmodel")
    return MLTrainingSession(plan, parameters: session.parameters)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}

/// Waits for a job and returns its result.
private func outcome<Model>(of job: MLJob<Model>) async -> Result<Model, any Error> {
  await withCheckedContinuation { continuation in
    let subscriptions = Locked<AnyCancellable?>(nil)
    let made = Locked<Box<Model>?>(nil)
    let subscription = job.result.sink(
      receiveCompletion: { completion in
        _ = subscriptions
        switch completion {
        case .failure(let error): continuation.resume(returning: .failure(error))
        case .finished:
          if let model = made.withLock({ $0 }) {
            continuation.resume(returning: .success(model.value))
          }
        }
      }, receiveValue: { model in made.withLock { $0 = Box(value: model) } })
    subscriptions.withLock { $0 = subscription }
  }
}

private struct Box<Value>: @unchecked Sendable { let value: Value }

@Suite("MLStyleTransfer")
struct MLStyleTransferTests {
  @Test("A job trains a model that paints, can be written, and opens as a Core ML model")
  func trains() async throws {
    let studio = try Studio()
    defer { studio.remove() }
    let session = try studio.session()
    let job = try MLStyleTransfer.resume(session)
    let model = try await outcome(of: job).get()
    let photo = CGImage(try studio.picture(45, 37) { x, y in x * 4 + y })
    let painting = try #require(try model.stylize(image: photo))
    #expect(painting.width == 45 && painting.height == 37)
    let file = studio.folder.appendingPathComponent("style.mlmodel")
    try model.write(
      to: file, metadata: MLModelMetadata(author: "Somebody", shortDescription: "Stripes."))
    let opened = try await MLModel.compileModel(at: file)
    defer { try? FileManager.default.removeItem(at: opened) }
    let description = try MLModel(contentsOf: opened).modelDescription
    #expect(description.outputDescriptionsByName["stylizedImage"]?.type == .image)
    #expect(description.metadata[.author] as? String == "Somebody")
    #expect(session.iteration == 3)
    #expect(session.checkpoints.map(\.iteration) == [2])
  }

  @Test("Progress reports the iteration, the losses and the stylised validation image")
  func progress() async throws {
    let studio = try Studio()
    defer { studio.remove() }
    let job = try MLStyleTransfer.resume(try studio.session(iterations: 2))
    _ = try await outcome(of: job).get()
    let progress = try #require(MLProgress(progress: job.progress))
    #expect(progress.phase == .training && progress.itemCount == 2)
    #expect(job.progress.fractionCompleted == 1)
    #expect(try #require(progress.metrics[.styleLoss] as? Double) > 0)
    let picture = try #require(progress.metrics[.stylizedImageURL] as? URL)
    #expect(FileManager.default.fileExists(atPath: picture.path))
  }

  @Test("A cancelled job fails with cancelled, and its session continues from the checkpoint")
  func cancels() async throws {
    let studio = try Studio()
    defer { studio.remove() }
    let job = try MLStyleTransfer.resume(try studio.session(iterations: 3))
    job.cancel()
    let failure = await outcome(of: job)
    #expect(job.isCanceled)
    guard case .failure(MLCreateError.cancelled) = failure else {
      Issue.record("\(failure)")
      return
    }
    let restored = try MLStyleTransfer.restoreTrainingSession(
      sessionParameters: studio.parameters("session"))
    _ = try await outcome(of: MLStyleTransfer.resume(studio.withStandIn(restored))).get()
  }

  @Test("A checkpoint gives a model, and can be removed")
  func checkpoints() async throws {
    let studio = try Studio()
    defer { studio.remove() }
    let session = try studio.session(iterations: 2)
    _ = try await outcome(of: MLStyleTransfer.resume(session)).get()
    let checkpoint = try #require(session.checkpoints.first)
    #expect(try MLStyleTransfer(checkpoint: checkpoint).description.contains("cnnLite"))
    try session.removeCheckpoints { $0.iteration == 2 }
    #expect(session.checkpoints.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: checkpoint.url.path))
  }

  @Test("A session's folder refuses changed parameters")
  func otherParameters() throws {
    let studio = try Studio()
    defer { studio.remove() }
    _ = try studio.session()
    let error = #expect(throws: MLCreateError.self) { try studio.session(iterations: 5) }
    #expect(error?.description.contains("maxIterations 3, but now it is 5") == true)
  }

  @Test("A session's folder refuses changed images")
  func otherPictures() throws {
    let studio = try Studio()
    defer { studio.remove() }
    _ = try studio.session()
    _ = try studio.session()
    let other = MLStyleTransfer.DataSource.images(
      styleImage: studio.contents.appendingPathComponent("0.png"),
      contentDirectory: studio.contents)
    #expect {
      try MLStyleTransfer.makeTrainingSession(
        trainingData: other,
        parameters: .init(
          algorithm: .cnnLite,
          validation: .content(studio.contents.appendingPathComponent("1.png")),
          maxIterations: 3, textelDensity: 64),
        sessionParameters: studio.parameters("session"))
    } throws: { "\($0)".contains("have changed since it was started") }
  }

  @Test("The density determines the size of the images")
  func processes() throws {
    let studio = try Studio()
    defer { studio.remove() }
    let (style, contents) = try studio.data.processImages(textelDensity: 128)
    let painting = try Picture(contentsOf: style)
    #expect(painting.width == 144 && painting.height == 128)
    #expect(try FileManager.default.contentsOfDirectory(atPath: contents.path).count == 3)
  }
}

@Suite("Style transfer with a trained model")
struct StylizingTests {
  @Test("Ten images of one size open the model once and make one plan, also in copies of the model")
  func onePlan() throws {
    let model = MLStyleTransfer(StyleNetwork(.cnnLite, seed: 3), description: "A style")
    let copy = model
    let studio = try Studio()
    defer { studio.remove() }
    let photo = CGImage(try studio.picture(45, 37) { x, y in x * 4 + y })
    let first = try #require(try model.stylize(image: photo))
    for _ in 0..<9 { #expect(try copy.stylize(image: photo)?.picture == first.picture) }
    let (network, _) = try #require(try model.openedPainter().model.network(pictures: nil))
    #expect(network.planCount == 1)
    _ = try copy.stylize(image: CGImage(try studio.picture(40, 50) { x, y in x + y }))
    #expect(network.planCount == 2)
  }

  @Test("The result keeps the image's alpha channel")
  func alpha() throws {
    let model = MLStyleTransfer(StyleNetwork(.cnnLite, seed: 3), description: "A style")
    let opaque = try Picture(width: 40, height: 36, pixels: [UInt8](repeating: 90, count: 4320))
    let pixels: [UInt8] = (0..<40 * 36).flatMap { [90, 90, 90, UInt8($0 % 256)] }
    let photo = try pixels.withUnsafeBytes {
      try Picture(
        width: 40, height: 36, layout: .rgba(.straight), rows: $0.baseAddress!, bytesPerRow: 160)
    }
    let painted = try #require(try model.stylize(image: CGImage(photo))).picture
    let plain = try #require(try model.stylize(image: CGImage(opaque))).picture
    #expect(painted == (try plain.withAlpha(of: photo)))
  }
}
