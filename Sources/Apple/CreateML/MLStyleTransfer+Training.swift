import Foundation
import StyleTransfer

extension MLStyleTransfer {
  /// Makes a session, or finds the one that its folder holds; ``resume(_:)`` runs it.
  ///
  /// - Throws: ``MLCreateError/incompatibleParameters(parameter:originalValue:newValue:)`` where the
  ///   folder holds a session of other parameters, ``MLCreateError/modifiedTrainingData`` where it holds
  ///   one of other pictures.
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

  /// The session in a folder, with its pictures and parameters.
  public static func restoreTrainingSession(sessionParameters: MLTrainingSessionParameters) throws
    -> MLTrainingSession<MLStyleTransfer>
  {
    guard let directory = sessionParameters.sessionDirectory else {
      throw MLCreateError.generic(
        reason: "A session is restored from its folder; give the parameters a sessionDirectory.")
    }
    guard let plan = try SessionPlan(in: directory) else {
      throw MLCreateError.io(
        reason: "Folder '\(directory.path)' holds no session; make one with makeTrainingSession.")
    }
    return MLTrainingSession(plan, parameters: sessionParameters)
  }

  /// Lets the session in a folder take more steps than it was made for; those that it took count. Not in
  /// Apple's framework.
  ///
  /// - Throws: ``MLCreateError`` where the folder holds no session, or where the steps are fewer than
  ///   before.
  public static func extendTrainingSession(in directory: URL, toIterations iterations: Int) throws {
    guard let plan = try SessionPlan(in: directory) else {
      throw MLCreateError.io(
        reason: "Folder '\(directory.path)' holds no session; make one with makeTrainingSession.")
    }
    let before: Int = plan.record.settings.iterations
    guard iterations >= before else {
      throw MLCreateError.generic(
        reason: "The session has \(before) iterations, which \(iterations) would be fewer than.")
    }
    var record: SessionPlan.Record = plan.record
    record.settings.iterations = iterations
    _ = try SessionPlan(record, directory: directory)
  }

  /// Trains a model beside the caller.
  public static func train(
    trainingData: DataSource, parameters: ModelParameters = .init(),
    sessionParameters: MLTrainingSessionParameters = .init()
  ) throws -> MLJob<MLStyleTransfer> {
    try resume(
      try makeTrainingSession(
        trainingData: trainingData, parameters: parameters, sessionParameters: sessionParameters))
  }

  /// Runs a session beside the caller, from its last checkpoint on.
  public static func resume(_ session: MLTrainingSession<MLStyleTransfer>) throws
    -> MLJob<MLStyleTransfer>
  {
    let job = MLJob<MLStyleTransfer>()
    job.start { try StyleSession.run(session, job: $0) }
    return job
  }
}

extension SessionPlan {
  /// Throws where the session in the folder is of another painting or other photos.
  func checkPictures(style: URL, contents: URL) throws {
    let isSameStyle: Bool = FileManager.default.contentsEqual(
      atPath: record.styleImage.path, andPath: style.path)
    let photos: [String]? = try? ContentPictures(folder: contents).summary
    let before: [String]? = try? ContentPictures(folder: record.contentDirectory).summary
    guard isSameStyle, photos == before else { throw MLCreateError.modifiedTrainingData }
  }

  /// Throws where the session in the folder is another one.
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
