extension GraphModel {
  /// Checks that every input and every output has a name of its own: callers know them by nothing else, and no format
  /// that is written has a place for two of one name.
  ///
  /// - Throws: ``EngineError`` that names them.
  public func requireDistinctNames() throws {
    for (kind, features) in [("inputs", inputs), ("outputs", outputs)] {
      var seen: Set<String> = []
      for feature in features where !seen.insert(feature.name).inserted {
        throw EngineError(
          .invalidModel,
          "The model has two \(kind) named '\(feature.name)', expected a name for each. Write the file again with other names."
        )
      }
    }
  }
}
