/// The names that a file uses, each once; shared by all writers of one file.
package final class UniqueNames {
  private let separator: String
  private let firstNumber: Int
  private var taken: Set<String>
  /// The number to try next after a name, so that thousands of equal ones are found in linear time.
  private var nextNumbers: [String: Int] = [:]

  /// Names of which some are taken already.
  ///
  /// - Parameters:
  ///   - reserved: names that are not given.
  ///   - separator: what stands between a name and its number, such as `_`.
  ///   - firstNumber: the number of the second value that wants a name.
  package init(
    reserved: some Sequence<String> = EmptyCollection(), separator: String, firstNumber: Int = 2
  ) {
    taken = Set(reserved)
    self.separator = separator
    self.firstNumber = firstNumber
  }

  /// A name that nothing has: the wanted one, or with a number.
  package func fresh(_ wanted: String) -> String {
    let own: String = wanted.isEmpty ? "value" : wanted
    if taken.insert(own).inserted { return own }
    var number: Int = nextNumbers[own] ?? firstNumber
    defer { nextNumbers[own] = number + 1 }
    while true {
      let name = "\(own)\(separator)\(number)"
      if taken.insert(name).inserted { return name }
      number += 1
    }
  }
}
