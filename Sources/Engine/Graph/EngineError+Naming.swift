extension EngineError {
  /// The same error with the layer in front: “Convolution 'conv2_1': …”. A sentence that names the
  /// layer already, is Apple's own, or speaks of the whole run stays as it is.
  public func naming(_ kind: String, _ name: String) -> EngineError {
    let isAboutTheRun = code == .cancelled || code == .timedOut
    if isAboutTheRun || code == .customLayer || message.contains("'\(name)'") { return self }
    return EngineError(code, "\(kind) '\(name)': \(message)")
  }
}
