extension MLFeatureProvider {
  /// The names of what the provider has, for errors: `it has "a", "b"`, or that it has none.
  var wordsOnItsFeatures: String {
    let names: [String] = featureNames.sorted().map { "\"\($0)\"" }
    return names.isEmpty ? "it has no features" : "it has \(names.joined(separator: ", "))"
  }
}
