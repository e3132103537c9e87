/// Makes names that are unique in a file. A file's writer has several parts, which all share one object of this class.
package final class UniqueNames {
  private let separator: String
  private let firstNumber: Int
  private var taken: Set<String>
  /// The next number to try for each wanted name. With these numbers, thousands of equal names take only linear time.
  private var nextNumbers: [String: Int] = [:]

  /// Starts without any name in use, except the reserved names.
  ///
  /// - Parameters:
  ///   - reserved: Names that are never returned.
  ///   - separator: The text between a name and its number, such as `_`.
  ///   - firstNumber: The number that the second value with the same name gets.
  package init(
    reserved: some Sequence<String> = EmptyCollection(), separator: String, firstNumber: Int = 2
  ) {
    taken = Set(reserved)
    self.separator = separator
    self.firstNumber = firstNumber
  }

  /// Returns a new name: `wanted`, or `wanted` with a number if `wanted` is already in use.
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
