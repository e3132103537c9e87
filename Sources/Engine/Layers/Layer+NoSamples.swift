extension Layer {
  /// No cases yet; the conformance suite says so.
  public static var samples: [LayerSample] { [] }
}
