import Foundation

extension MLUpdateTask {
  /// Makes a task that calls a completion handler. ``MLTask/resume()`` starts the task.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    configuration: MLModelConfiguration?, completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: configuration,
      progressHandlers: MLUpdateProgressHandlers(
        forEvents: [], progressHandler: nil, completionHandler: completionHandler))
  }

  /// Makes a task with the default configuration that calls a completion handler.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil,
      completionHandler: completionHandler)
  }

  /// Makes a task with the default configuration that calls progress handlers.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider,
    progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil,
      progressHandlers: progressHandlers)
  }

  /// Same as ``init(forModelAt:trainingData:completionHandler:)``.
  public convenience init(
    forModelAtURL modelURL: URL, trainingData: any MLBatchProvider,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil,
      completionHandler: completionHandler)
  }

  /// Same as ``init(forModelAt:trainingData:configuration:completionHandler:)``.
  public convenience init(
    forModelAtURL modelURL: URL, trainingData: any MLBatchProvider,
    configuration: MLModelConfiguration?, completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: configuration,
      completionHandler: completionHandler)
  }

  /// Same as ``init(forModelAt:trainingData:configuration:progressHandlers:)``.
  public convenience init(
    forModelAtURL modelURL: URL, trainingData: any MLBatchProvider,
    configuration: MLModelConfiguration?, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: configuration,
      progressHandlers: progressHandlers)
  }

  /// Same as ``init(forModelAt:trainingData:progressHandlers:)``.
  public convenience init(
    forModelAtURL modelURL: URL, trainingData: any MLBatchProvider,
    progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(
      forModelAt: modelURL, trainingData: trainingData, configuration: nil,
      progressHandlers: progressHandlers)
  }
}
