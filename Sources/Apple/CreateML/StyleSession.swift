import CoreML
import Foundation
import StyleTransfer
import Vision

/// Runs the training session of a style.
enum StyleSession {
  /// Runs the remaining iterations and returns the model.
  ///
  /// - Parameter job: The job that publishes the progress and that a caller can cancel; nil for none.
  static func run(
    _ session: MLTrainingSession<MLStyleTransfer>, job: MLJob<MLStyleTransfer>?
  ) throws -> MLStyleTransfer {
    try creating {
      enter(.extractingFeatures, session, job)
      let training = try StyleTraining(
        try task(session), features: try features(session.plan.features), beginning: .resumed,
        options: MLModelConfiguration().executionOptions()
      )
      enter(.training, session, job)
      let start = Date()
      let isFinished: Bool = try training.run(
        shouldStop: { job?.isCanceled == true },
        report: { progress in
          session.pass(progress.losses.iteration)
          report(progress, session, job, elapsed: Date().timeIntervalSince(start))
        })
      guard isFinished else { throw MLCreateError.cancelled }
      enter(.initialized, session, job)
      let settings: StyleTrainingSettings = training.task.settings
      return MLStyleTransfer(
        training.network,
        description: "Style transfer (\(settings.algorithm.rawValue)),"
          + " \(settings.iterations) iterations of"
          + " '\(training.task.paintings[0].lastPathComponent)'")
    }
  }

  private static func task(
    _ session: MLTrainingSession<MLStyleTransfer>
  ) throws -> StyleTraining.Task {
    let record: SessionPlan.Record = session.plan.record
    var task = StyleTraining.Task(
      settings: record.settings, painting: record.styleImage, contents: record.contentDirectory)
    task.folder = session.plan.folder
    let option = record.processingOption.flatMap { VNImageCropAndScaleOption(rawValue: $0) }
    task.fitting = option == .centerCrop ? nil : option?.fitting
    task.validation = record.validation
    try task.startFromGallery()
    task.checkpointInterval = session.parameters.checkpointInterval
    task.snapshotInterval = session.parameters.checkpointInterval
    return task
  }

  private static func features(_ file: URL) throws -> FeatureNetwork {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw MLCreateError.io(
        reason: "VGG-16, which computes the losses, was not fetched. Call"
          + " MLStyleTransfer.downloadAssets() or run `atelier fetch vgg16` first.")
    }
    return try FeatureNetwork(contentsOf: file)
  }

  private static func enter(
    _ phase: MLPhase, _ session: MLTrainingSession<MLStyleTransfer>,
    _ job: MLJob<MLStyleTransfer>?
  ) {
    session.enter(phase)
    job?.phases.send(phase)
  }

  private static func report(
    _ step: StyleTraining.Progress, _ session: MLTrainingSession<MLStyleTransfer>,
    _ job: MLJob<MLStyleTransfer>?, elapsed: TimeInterval
  ) {
    let row: StyleLosses = step.losses
    let parameters: MLTrainingSessionParameters = session.parameters
    if row.iteration.isMultiple(of: max(1, parameters.reportInterval))
      || row.iteration == step.iterations, let job
    {
      var progress = MLProgress(phase: .training)
      progress.itemCount = row.iteration
      progress.totalItemCount = step.iterations
      progress.elapsedTime = elapsed
      progress.metrics = session.plan.metrics(row)
      progress.store(in: job.progress)
    }
    if row.iteration.isMultiple(of: max(1, parameters.checkpointInterval)) {
      let checkpoint: MLCheckpoint = session.plan.checkpoint(row, date: Date())
      session.add(checkpoint)
      job?.points.send(checkpoint)
    }
  }
}
