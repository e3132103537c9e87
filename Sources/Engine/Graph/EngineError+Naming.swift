extension EngineError {
  /// The same error with the layer in front: “Convolution 'conv2_1': …”. A sentence that names the
  /// layer already, is Apple's own, or speaks of the whole run stays as it is.
  public func naming(_ kind: String, _ name: String) -> EngineError {
    let isAboutTheRun = code == .cancelled || code == .timedOut
    if isAboutTheRun || code == .customLayer || message.contains("'\(name)'") { return self }
    return EngineError(code, "\(kind) '\(name)': \(message)")
  }

  /// The same error with the layer of a node in front, as its file calls it.
  public func naming(_ node: Graph.Node) -> EngineError {
    guard let origin = node.origin else { return naming(node.operation.name, node.name) }
    return naming(origin.kind, origin.name)
  }
}
