extension EngineError {
  /// Returns the same error with the layer's name before the message: “Convolution 'conv2_1': …”. Returns the error
  /// unchanged in three cases: its message already names the layer, a custom layer threw the error, or the error
  /// reports that the run was cancelled or timed out.
  public func naming(_ kind: String, _ name: String) -> EngineError {
    let isAboutTheRun = code == .cancelled || code == .timedOut
    if isAboutTheRun || code == .customLayer || message.contains("'\(name)'") { return self }
    return EngineError(code, "\(kind) '\(name)': \(message)")
  }

  /// Returns the same error with the name of the node's layer before the message. If the node has an origin, uses the
  /// layer's name in the model file.
  public func naming(_ node: Graph.Node) -> EngineError {
    guard let origin = node.origin else { return naming(node.operation.name, node.name) }
    return naming(origin.kind, origin.name)
  }
}
