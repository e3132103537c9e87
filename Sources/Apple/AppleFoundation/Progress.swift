import Foundation

extension Progress {
  /// Makes a progress without a parent and without units.
  ///
  /// On Apple's systems, `Progress()` calls the initialiser of `NSObject`. An extension cannot override that initialiser
  /// on Linux, so this one has a parameter that nobody passes.
  public convenience init(_ none: Void = ()) {
    self.init(parent: nil)
  }
}
