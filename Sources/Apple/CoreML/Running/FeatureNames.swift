extension MLFeatureProvider {
  /// The part of an error message that lists the provider's features, such as `it has "a", "b"` or
  /// `it has no features`.
  var featureSummary: String {
    let names: [String] = featureNames.sorted().map { "\"\($0)\"" }
    return names.isEmpty ? "it has no features" : "it has \(names.joined(separator: ", "))"
  }
}
