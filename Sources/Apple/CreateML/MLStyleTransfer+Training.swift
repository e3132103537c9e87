import Foundation
import StyleTransfer

extension MLStyleTransfer {
  /// Makes a session. If the session directory contains a session, opens that session instead. Run the session with
  /// ``resume(_:)``.
  ///
  /// - Throws: ``MLCreateError/incompatibleParameters(parameter:originalValue:newValue:)`` when the session in the
  ///   directory has other parameters than `parameters`. ``MLCreateError/modifiedTrainingData`` when that session has
  ///   other images than `trainingData`.
  public static func makeTrainingSession(
    trainingData: DataSource, parameters: ModelParameters = .init(),
    sessionParameters: MLTrainingSessionParameters = .init()
  ) throws -> MLTrainingSession<MLStyleTransfer> {
    let (style, contents, option) = trainingData.pictures
    let settings: StyleTrainingSettings = parameters.settings(
      iterations: sessionParameters.iterations)
    try creating { try settings.check() }
    if let directory = sessionParameters.sessionDirectory,
      let known = try SessionPlan(in: directory)
    {
      try known.check(settings)
      try known.checkPictures(style: style, contents: contents)
      return MLTrainingSession(known, parameters: sessionParameters)
    }
    let record = SessionPlan.Record(
      styleImage: style, contentDirectory: contents, processingOption: option?.rawValue,
      settings: settings, validation: parameters.validationPicture, date: Date())
    return MLTrainingSession(
      try SessionPlan(record, directory: sessionParameters.sessionDirectory),
      parameters: sessionParameters)
  }

  /// Opens the session in the session directory, with the images and parameters that the session was made with.
  public static func restoreTrainingSession(sessionParameters: MLTrainingSessionParameters) throws
    -> MLTrainingSession<MLStyleTransfer>
  {
    guard let directory = sessionParameters.sessionDirectory else {
      throw MLCreateError.generic(
        reason: "Restoring a session needs a sessionDirectory in the parameters.")
    }
    guard let plan = try SessionPlan(in: directory) else {
      throw MLCreateError.io(
        reason: "Folder '\(directory.path)' has no session; make one with makeTrainingSession.")
    }
    return MLTrainingSession(plan, parameters: sessionParameters)
  }

  /// Increases the total number of iterations of the session in a folder. The total includes finished iterations. Not
  /// in Apple's framework.
  ///
  /// - Throws: ``MLCreateError`` if the folder has no session, or if `iterations` is less than the session's present
  ///   total.
  public static func extendTrainingSession(in directory: URL, toIterations iterations: Int) throws {
    guard let plan = try SessionPlan(in: directory) else {
      throw MLCreateError.io(
        reason: "Folder '\(directory.path)' has no session; make one with makeTrainingSession.")
    }
    let before: Int = plan.record.settings.iterations
    guard iterations >= before else {
      throw MLCreateError.generic(
        reason:
          "The session has \(before) iterations, expected the same number or more, not \(iterations)."
      )
    }
    var record: SessionPlan.Record = plan.record
    record.settings.iterations = iterations
    _ = try SessionPlan(record, directory: directory)
  }

  /// Trains a model in the background.
  public static func train(
    trainingData: DataSource, parameters: ModelParameters = .init(),
    sessionParameters: MLTrainingSessionParameters = .init()
  ) throws -> MLJob<MLStyleTransfer> {
    try resume(
      try makeTrainingSession(
        trainingData: trainingData, parameters: parameters, sessionParameters: sessionParameters))
  }

  /// Runs a session in the background. Continues from the session's last checkpoint.
  public static func resume(_ session: MLTrainingSession<MLStyleTransfer>) throws
    -> MLJob<MLStyleTransfer>
  {
    let job = MLJob<MLStyleTransfer>()
    job.start { try StyleSession.run(session, job: $0) }
    return job
  }
}

extension SessionPlan {
  /// Throws if the session's painting or photos differ from the given painting or photos.
  func checkPictures(style: URL, contents: URL) throws {
    let isSameStyle: Bool = FileManager.default.contentsEqual(
      atPath: record.styleImage.path, andPath: style.path)
    let photos: [String]? = try? ContentPictures(folder: contents).summary
    let before: [String]? = try? ContentPictures(folder: record.contentDirectory).summary
    guard isSameStyle, photos == before else { throw MLCreateError.modifiedTrainingData }
  }

  /// Throws if the session's settings differ from the given settings.
  func check(_ settings: StyleTrainingSettings) throws {
    func require(_ parameter: String, _ before: String, _ now: String) throws {
      guard before != now else { return }
      throw MLCreateError.incompatibleParameters(
        parameter: parameter, originalValue: before, newValue: now)
    }
    let before: StyleTrainingSettings = record.settings
    try require("algorithm", before.algorithm.rawValue, settings.algorithm.rawValue)
    try require("maxIterations", "\(before.iterations)", "\(settings.iterations)")
    try require("textelDensity", "\(before.texelDensity)", "\(settings.texelDensity)")
    try require("styleStrength", "\(before.strength)", "\(settings.strength)")
  }
}
