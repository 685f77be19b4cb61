"""A hunt over the compiler: random and hostile materials and budgets, each packet judged by rules of their own."""
